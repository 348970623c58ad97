#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tunctl-fastpath as a program: what it says, what it refuses and how it ends. Needs no right:
`dev null` over loopback.
"""

import os
import pathlib
import random
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import keys  # noqa: E402
import pki  # noqa: E402
from native_peer import BUILD, ENGINE, NotifySocket  # noqa: E402

CRYPTO = "secret static.key\ncipher AES-256-CBC\nauth SHA256\n"


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Program(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="tct-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)
        keys.write_static_key(self.folder / "static.key")
        self.port = free_port()

    def config(self, text, name="t.conf"):
        (self.folder / name).write_text(text)
        return name

    def null_config(self, more="", name="t.conf"):
        return self.config(f"dev null\nlocal 127.0.0.1\nport {self.port}\n{CRYPTO}{more}", name)

    def run_program(self, *words, timeout=20, **options):
        return subprocess.run([ENGINE, *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=timeout, **options)

    def start(self, *words, **options):
        log = open(self.folder / "log", "wb")
        self.addCleanup(log.close)
        child = subprocess.Popen([ENGINE, *words, "--state-dir", "."], cwd=self.folder,
                                 stdout=log, stderr=log, **options)

        def end():
            if child.poll() is None:
                child.kill()
            child.wait()
        self.addCleanup(end)
        return child

    def preloaded(self, name):
        library = BUILD / "tests" / "fastpath" / f"{name}.so"
        if not library.exists():
            self.skipTest(f"no {name}.so: this build has a sanitizer, which cannot share")
        return library

    def log(self):
        return (self.folder / "log").read_text()

    def wait_for(self, condition, what, timeout=15):
        end = time.monotonic() + timeout
        while not condition():
            self.assertLess(time.monotonic(), end, f"no {what}: {self.log()}")
            time.sleep(0.02)

    def refused(self, text, *expected, status=78, options=()):
        done = self.run_program("--config", self.config(text), *options)
        self.assertEqual(done.returncode, status, done.stderr)
        for part in expected:
            self.assertIn(part, done.stderr)
        self.assertEqual({"t.conf", "static.key"}, set(os.listdir(self.folder)), "left behind")
        return done.stderr


class Words(Program):
    def test_help_and_version(self):
        help_text = self.run_program("--help").stdout
        self.assertIn("--state-dir", help_text)
        self.assertIn("--threads N|auto           data threads of this tunnel, 1 to 16", help_text)
        done = self.run_program("--config", self.null_config(), "--threads", "17")
        self.assertIn("threads: '17'", done.stderr)
        version = self.run_program("--version")
        self.assertEqual(version.returncode, 0)
        self.assertRegex(version.stdout, r"^tunctl-fastpath \d+\.\d+")
        self.assertEqual(self.run_program().returncode, 78)

    def test_refuses_by_name_and_line_all_in_one_go(self):
        said = self.refused("dev tap3\nremote a\nmultihome\nnosuch 1\n" + CRYPTO,
                            "t.conf:1:1: ", "dev: tap", "t.conf:3:1: ", "multihome: ",
                            "t.conf:4:1: ", "nosuch")
        self.assertGreaterEqual(len(said.splitlines()), 3)

    def test_refuses_addresses_that_are_inside_and_outside(self):
        for pair in ("10.9.0.1 192.0.2.2", "192.0.2.2 10.9.0.1"):
            self.refused(f"dev null\nremote 192.0.2.2\nifconfig {pair}\n" + CRYPTO,
                         "t.conf:2:1: remote 192.0.2.2 is an address inside of this tunnel too")
        self.refused("dev null\nremote 192.0.2.2\nlocal 10.9.0.1\nifconfig 10.9.0.1 10.9.0.2\n" +
                     CRYPTO, "t.conf:3:1: local 10.9.0.1 is an address inside of this tunnel too")

    def test_a_tunnel_in_clear_text_must_be_meant(self):
        self.refused("dev null\n", "cipher none")

    def test_keys(self):
        self.refused("dev null\nsecret none.key\n", "t.conf:2:1: ", "none.key", "No such file", "tunctl key gen")
        (self.folder / "static.key").write_text("-----BEGIN PRIVATE KEY-----\n")
        self.refused("dev null\nsecret static.key\n", "static.key:", "not an OpenVPN static key")

    def test_a_directory_or_nothing_as_config(self):
        for name in ("/tmp", "none.conf"):
            done = self.run_program(name)
            self.assertEqual(done.returncode, 78)
            self.assertIn(name, done.stderr)

    def test_the_other_family(self):
        self.refused("dev null\nproto udp4\nremote ::1\n" + CRYPTO, "remote ::1", "family")

    def test_own_options_are_checked(self):
        self.refused("dev null\n" + CRYPTO, "auto, or 1 to 16", options=("--threads", "17"))
        self.refused("dev null\n" + CRYPTO, "started or connected", options=("--ready", "soon"))

    def test_an_unknown_user(self):
        self.refused("dev null\nuser nosuchuser\n" + CRYPTO, "no user nosuchuser")

    def test_what_no_openvpn_knows_is_not_sent_to_stock(self):
        said = self.refused("dev null\nauth SHA0\nsecret static.key\n", "t.conf:2:1: ", "SHA0",
                            "did you mean")
        self.assertNotIn("stock openvpn runs it", said)

    def test_a_script_that_is_not_there_is_for_good(self):
        script = self.folder / "up.sh"
        config = self.null_config(f"script-security 2\nup {script}\n")
        done = self.run_program("--config", config, "--state-dir", ".")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(f"up: cannot run script '{script}': it does not exist; put it there",
                      done.stderr)
        script.write_text("#!/bin/sh\n")
        done = self.run_program("--config", config, "--state-dir", ".")
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("chmod +x", done.stderr)
        script.write_text("#!/bin/sh\nexit 3\n")
        script.chmod(0o755)
        done = self.run_program("--config", config, "--state-dir", ".")
        self.assertEqual(done.returncode, 1, "another time it may not fail: " + done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be somebody else")
    def test_a_script_in_a_closed_folder_is_told_by_the_folder(self):
        self.folder.chmod(0o755)
        closed = self.folder / "closed"
        closed.mkdir(mode=0o700)
        script = closed / "up.sh"
        script.write_text("#!/bin/sh\n")
        script.chmod(0o755)
        config = self.null_config(f"script-security 2\nup {script}\n")
        (self.folder / "static.key").chmod(0o644)
        done = self.run_program("--config", config, "--state-dir", "/tmp",
                                user=65534, group=65534, extra_groups=[])
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn(f"this user may not enter {closed}; put it where everyone gets", done.stderr)
        self.assertNotIn("chmod +x", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root has rights to give up")
    def test_a_status_file_outlives_the_rights_to_make_it(self):
        self.folder.chmod(0o755)
        child = self.start("--config", self.null_config("user nobody\nstatus s.log 1\n"))
        status = self.folder / "s.log"
        self.wait_for(status.exists, "status file")
        self.wait_for(lambda: self._owner(child.pid) != 0, "change of user")
        before = status.read_text()
        self.wait_for(lambda: status.read_text() not in ("", before), "newer status file")
        self.assertTrue(status.read_text().endswith("END\n"))
        self.assertNotIn("status: cannot", self.log())

    @staticmethod
    def _owner(pid):
        return os.stat(f"/proc/{pid}").st_uid

    def test_a_script_needs_leave(self):
        done = self.run_program("--config", self.null_config("up /bin/true\n"), "--state-dir", ".")
        self.assertEqual(done.returncode, 78)
        self.assertIn("script-security 2", done.stderr)

    def test_a_port_in_use(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", self.port))
            done = self.run_program("--config", self.null_config(), "--state-dir", ".")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"UDP port {self.port} is in use", done.stderr)

    def test_a_key_that_everybody_can_read_is_a_warning(self):
        (self.folder / "static.key").chmod(0o644)
        self.start(self.null_config())
        self.wait_for(lambda: "can be read by everybody; `chmod 600 static.key`" in self.log(),
                      "warning")


    def test_a_config_with_a_key_in_it_that_everybody_can_read_is_a_warning(self):
        key = (self.folder / "static.key").read_text()
        name = self.config(f"dev null\nlocal 127.0.0.1\nport {self.port}\n<secret>\n{key}</secret>\n")
        (self.folder / name).chmod(0o644)
        self.start(name)
        self.wait_for(lambda: "t.conf can be read by everybody" in self.log(), "warning")


class Life(Program):
    def running(self, more="", **_):
        child = self.start(self.null_config("verb 3\n" + more))
        self.wait_for(lambda: "waiting for the peer" in self.log() or "peer: " in self.log(),
                      "start")
        return child

    def test_asked_to_stop_is_status_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            child = self.running()
            child.send_signal(number)
            self.assertEqual(child.wait(10), 0)

    def test_a_stop_is_not_called_off_by_a_reload(self):
        for count in (1, 3):
            child = self.running(f"remote 127.0.0.1 {free_port()}\nexplicit-exit-notify {count}\n")
            child.send_signal(signal.SIGTERM)
            self.wait_for(lambda: "SIGTERM: stopping" in self.log(), "stop")
            child.send_signal(signal.SIGHUP)
            self.assertEqual(child.wait(10), 0)
            self.assertNotIn("reading the config again", self.log())

    def test_a_stop_that_comes_with_a_reload_is_heard(self):
        child = self.running()
        child.send_signal(signal.SIGSTOP)
        child.send_signal(signal.SIGHUP)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGCONT)
        self.assertEqual(child.wait(10), 0)

    def test_a_silent_caller_keeps_nobody_out(self):
        pki.make_pair(self.folder)
        port = free_port()
        tls = "dev null\nca ca.crt\nverb 3\n"
        self.start(self.config(f"{tls}tls-server\nproto tcp-server\nlocal 127.0.0.1\nport {port}\n"
                               "cert server.crt\nkey server.key\ndh none\nhand-window 2\n"))
        self.wait_for(lambda: f"waiting for the peer to connect to TCP port {port}" in self.log(),
                      "listener")
        with socket.create_connection(("127.0.0.1", port)):
            self.wait_for(lambda: "the caller began no session within 2 s" in self.log(), "patience")
            self.start(self.config(f"{tls}tls-client\nproto tcp-client\nremote 127.0.0.1 {port}\n"
                                   "nobind\ncert client.crt\nkey client.key\n", "c.conf"))
            self.wait_for(lambda: "Initialization Sequence Completed" in self.log(), "connection")

    @unittest.skipUnless(os.geteuid() == 0, "only root has rights to give up")
    def test_a_folder_of_revoked_ones_that_cannot_be_read_any_more_lets_nobody_in(self):
        pki.make_pair(self.folder)
        self.folder.chmod(0o755)
        revoked = self.folder / "revoked"
        revoked.mkdir()
        tls = f"dev null\nca ca.crt\nverb 3\nport {self.port}\nconnect-retry 1 1\n"
        self.start(self.config(f"{tls}tls-server\nlocal 127.0.0.1\ncert server.crt\nkey server.key\n"
                               "dh none\n", "s.conf"))
        client = self.config(f"{tls}tls-client\nremote 127.0.0.1\nnobind\ncert client.crt\n"
                             f"key client.key\nuser nobody\ncrl-verify {revoked} dir\n")
        for mode, said in ((0o700, "cannot be searched"), (0o755, "Initialization Sequence Completed")):
            revoked.chmod(mode)
            child = self.start(client)
            self.wait_for(lambda: said in self.log(), said)
            child.kill()
            child.wait()

    def test_ping_exit_is_status_1(self):
        child = self.running("ping-exit 1\n")
        self.assertEqual(child.wait(15), 1)
        self.assertIn("ping-exit", self.log())

    def test_out_of_tries_is_status_1(self):
        child = self.running(f"remote 127.0.0.1 {free_port()}\nping-restart 1\n"
                             "connect-retry-max 1\n")
        self.assertEqual(child.wait(15), 1)
        self.assertIn("connect-retry-max", self.log())

    def test_a_name_that_nobody_knows_is_bounded_by_resolv_retry(self):
        child = self.start(self.null_config("remote nosuch.invalid\nresolv-retry 0\n"))
        self.assertEqual(child.wait(60), 1)
        self.assertIn("cannot resolve nosuch.invalid", self.log())

    def test_a_late_answer_of_the_resolver_is_not_the_next_remotes(self):
        port = free_port()
        notify = NotifySocket(self.folder / "notify")
        self.addCleanup(notify.close)
        child = self.start(self.null_config("verb 3\nconnect-retry 4\nremote slow.invalid 9\n"
                                            f"remote 127.0.0.1 {port}\n"),
                           env={**os.environ, **notify.environment,
                                "LD_PRELOAD": str(self.preloaded("slow_resolver"))})
        self.wait_for(lambda: (notify.last("STATUS") or "").startswith("RESOLVE"), "question")
        child.send_signal(signal.SIGUSR1)
        self.wait_for(lambda: f"peer: 127.0.0.1:{port}" in self.log(), "next remote")
        self.assertNotIn("127.0.0.9", self.log())

    def test_usr2_tells_and_usr1_restarts(self):
        child = self.running()
        child.send_signal(signal.SIGUSR2)
        self.wait_for(lambda: "status: ASSIGN_IP" in self.log(), "status")
        child.send_signal(signal.SIGUSR1)
        self.wait_for(lambda: self.log().count("waiting for the peer") == 2, "restart")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(10), 0)

    def test_hup_with_a_bad_config_changes_nothing(self):
        child = self.running()
        self.config("dev null\nping x\n")
        child.send_signal(signal.SIGHUP)
        self.wait_for(lambda: "running on" in self.log(), "refusal")
        self.null_config("verb 3\n")
        child.send_signal(signal.SIGHUP)
        self.wait_for(lambda: self.log().count("waiting for the peer") == 2, "reload")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(10), 0)

    def test_relative_folders_are_entered_once(self):
        inner = self.folder / "a" / "b"
        inner.mkdir(parents=True)
        (self.folder / "static.key").rename(inner / "static.key")
        child = self.start("--cd", "a", "--config", "../" + self.null_config("cd b\nverb 3\n"))
        for count in (1, 2, 3):
            self.wait_for(lambda: self.log().count("waiting for the peer") == count, "start")
            child.send_signal(signal.SIGHUP)
        self.wait_for(lambda: self.log().count("waiting for the peer") == 4, "start")
        self.assertNotIn("not good", self.log())

    def test_daemon_with_log_pid_and_status(self):
        done = self.run_program("--config", self.null_config(
            "daemon\nlog own.log\nwritepid pid\nstatus st 1\n"), "--state-dir", ".")
        self.assertEqual(done.returncode, 0, done.stderr)
        pid_file = self.folder / "pid"
        (self.folder / "log").touch()
        self.wait_for(pid_file.exists, "pid file")
        pid = int(pid_file.read_text())
        self.wait_for(lambda: (self.folder / "st").exists() and
                      (self.folder / "st").read_text().endswith("END\n"), "status file")
        os.kill(pid, signal.SIGTERM)
        self.wait_for(lambda: not pid_file.exists(), "its end")
        self.assertIn("stopping", (self.folder / "own.log").read_text())

    def test_the_packet_time_grows_from_run_to_run(self):
        times = []
        for _ in range(2):
            child = self.running()
            self.wait_for((self.folder / "packet-time").exists, "packet time")
            times.append(int((self.folder / "packet-time").read_text()))
            child.terminate()
            self.assertEqual(child.wait(10), 0)
        self.assertGreater(times[1], times[0])

    def test_a_strangers_datagrams_change_only_counters(self):
        child = self.running("status st 1\n")
        rng = random.Random(1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            for size in [0, 1, 7, 8, 40, 65507] * 20 + [rng.randrange(2000) for _ in range(500)]:
                stranger.sendto(rng.randbytes(size), ("127.0.0.1", self.port))
        self.wait_for(lambda: "auth-failed," in (self.folder / "st").read_text(), "counters")
        self.assertIn("Auth read bytes,0\n", (self.folder / "st").read_text())
        child.send_signal(signal.SIGUSR2)
        self.wait_for(lambda: "status: dropped truncated" in self.log(), "named counters")
        self.assertIn("peer not known", self.log())
        self.assertEqual(self.log().count("authentication failed"), 1)

    def test_an_error_of_the_data_thread_ends_it_in_order(self):
        library = self.preloaded("broken_epoll")
        config = self.null_config(f"remote 127.0.0.1 {free_port()}\nping 1\nwritepid pid\n"
                                  "script-security 2\ndown \"/usr/bin/touch went-down\"\n")
        ran = self.run_program("--config", config, "--state-dir", ".",
                               env={**os.environ, "LD_PRELOAD": str(library)})
        self.assertEqual(ran.returncode, 1, ran)
        self.assertIn("ERROR: epoll_wait: Bad file descriptor", ran.stdout + ran.stderr)
        self.assertTrue((self.folder / "went-down").exists())
        self.assertFalse((self.folder / "pid").exists())

    def test_a_long_script_does_not_starve_the_watchdog(self):
        script = self.folder / "up.sh"
        script.write_text("#!/bin/sh\nsleep 3\n")
        script.chmod(0o755)
        notify = NotifySocket(self.folder / "notify", watchdog_seconds=1)
        self.addCleanup(notify.close)
        self.start(self.null_config(f"script-security 2\nup {script}\n"),
                   env={**os.environ, **notify.environment})
        self.wait_for(lambda: notify.last("READY"), "READY=1")
        ready = notify.all("READY")[0][0]
        fed = [when for when, _ in notify.all("WATCHDOG") if when < ready - 0.2]
        self.assertGreaterEqual(len(fed), 4, notify.all("WATCHDOG"))
        self.assertLess(max(b - a for a, b in zip(fed, fed[1:])), 1.0)
        self.assertTrue(notify.all("EXTEND_TIMEOUT_USEC"))

    def test_what_a_killed_one_left_goes_before_anybody_is_looked_for(self):
        pki.make_pair(self.folder)
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        (self.folder / "network-journal").write_text(
            f"tunctl-journal 1 {boot}\nroute 100::77/128 unreachable\n")
        (self.folder / "network-journal.resolv.conf").write_text("nameserver 192.0.2.1\n")
        self.start(self.config("client\ndev null\nverb 3\nremote nosuch.invalid 9\nca ca.crt\n"
                               "cert client.crt\nkey client.key\n"))
        self.wait_for(lambda: "cannot resolve nosuch.invalid" in self.log(), "look-up", 60)
        looked = self.log().index("cannot resolve")
        for left in ("undone: route 100::77/128 unreachable", "given back: /etc/resolv.conf"):
            self.assertIn(f"left behind by a killed engine, {left}", self.log()[:looked])
        # Without the right to delete a route it stays noted for whoever has it.
        self.assertEqual(os.geteuid() != 0, (self.folder / "network-journal").exists())
        self.assertFalse((self.folder / "network-journal.resolv.conf").exists())

    def test_undo_gives_back_what_a_killed_one_left_and_ends(self):
        for folders in (["."], ["nowhere", "."]):
            self.assertEqual(0, self.run_program("--undo", *folders).returncode, "nothing is there")
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        journal = self.folder / "network-journal"
        journal.write_text(f"tunctl-journal 1 {boot}\nroute 100::77/128 unreachable\n")
        backup = self.folder / "network-journal.resolv.conf"
        backup.write_text("nameserver 192.0.2.1\n")
        done = self.run_program("--undo", "nowhere", ".")
        root = os.geteuid() == 0
        self.assertEqual(0 if root else 1, done.returncode, done.stderr)
        for left in ("undone: route 100::77/128 unreachable", "given back: /etc/resolv.conf"):
            self.assertIn(f"left behind by a killed engine, {left}", done.stderr)
        self.assertEqual([not root, False], [journal.exists(), backup.exists()])

    def test_status_and_pid_go_through_what_is_no_file(self):
        (self.folder / "target").write_text("old")
        (self.folder / "link").symlink_to("target")
        os.mkfifo(self.folder / "pipe")
        reader = os.open(self.folder / "pipe", os.O_RDWR)
        self.addCleanup(os.close, reader)
        for status, pid in (("link", "pipe"), ("pipe", "link")):
            child = self.start(self.null_config(f"status {status} 1\nwritepid {pid}\n"))
            self.wait_for(lambda: "Updated" in (self.folder / "target").read_text()
                          if status == "link" else
                          (self.folder / "target").read_text() == f"{child.pid}\n", status)
            said = os.read(reader, 4096).decode()
            self.assertIn(f"{child.pid}\n" if pid == "pipe" else "STATISTICS", said)
            child.send_signal(signal.SIGTERM)
            self.assertEqual(0, child.wait(10))
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertTrue((self.folder / "pipe").is_fifo())

    @unittest.skipUnless(os.geteuid() == 0, "needs root: a device is to be made")
    def test_a_device_stays_a_device(self):
        os.mknod(self.folder / "null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        child = self.start(self.null_config("verb 3\nstatus null 1\nwritepid null\n"))
        self.wait_for(lambda: "Initialization" in self.log() or "waiting" in self.log(), "started")
        time.sleep(1.5)
        child.send_signal(signal.SIGTERM)
        self.assertEqual(0, child.wait(10))
        self.assertTrue((self.folder / "null").is_char_device())

    def test_a_pid_file_that_was_replaced_is_not_removed(self):
        child = self.start(self.null_config("writepid pid\n"))
        self.wait_for(lambda: (self.folder / "pid").exists(), "pid")
        (self.folder / "other").write_text("somebody else's\n")
        os.replace(self.folder / "other", self.folder / "pid")
        child.send_signal(signal.SIGTERM)
        self.assertEqual(0, child.wait(10))
        self.assertEqual("somebody else's\n", (self.folder / "pid").read_text())

    def test_down_is_not_run_where_up_failed(self):
        scripts = ('script-security 2\ndown "/usr/bin/touch went-down"\n')
        for up, status, ran in (("/bin/false", 1, False), ("/bin/true", 1, True)):
            config = self.null_config(f"up {up}\n{scripts}ping-exit 1\n")
            done = self.run_program("--config", config, "--state-dir", ".")
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual((self.folder / "went-down").exists(), ran, done.stderr)

    def test_two_engines_hear_each_other(self):
        theirs = free_port()
        other = self.config(f"dev null\nlocal 127.0.0.1\nlport {theirs}\nping 1\n"
                            f"remote 127.0.0.1 {self.port}\n{CRYPTO}status other 1\n", "o.conf")
        self.running("ping 1\nstatus st 1\n")
        self.assertIsNone(subprocess.Popen.poll(self.start(other)))
        for name in ("st", "other"):
            path = self.folder / name
            self.wait_for(lambda: path.exists() and "Auth read bytes,0\n" not in path.read_text(),
                          "authenticated pings")


if __name__ == "__main__":
    unittest.main(verbosity=1)
