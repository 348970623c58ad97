#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The life of one unit between two hosts: up, killed, stopped, edited, with a wrong key, disabled.

    unit_life.py fastpath|openvpn     the engine that a's unit runs
"""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import hosts  # noqa: E402
import skip  # noqa: E402
import netns  # noqa: E402
import site_hosts  # noqa: E402
from site_hosts import FAR, SITE, UNIT  # noqa: E402

ENGINE = sys.argv.pop(1) if len(sys.argv) > 1 else "fastpath"
BACK_SECONDS = 3.0
WATCHDOG_SECONDS = 10.0
STOPPED_SECONDS = 30.0  # watchdog 10 s, SIGABRT 3 s, and a start
_SQUATTER = """import socket, sys, time
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("", int(sys.argv[1])))
time.sleep(600)
"""


class UnitLife(unittest.TestCase):
    """Steps that follow each other: unittest runs them by name."""

    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_of(cls)
        site_hosts.make_site(cls.a, cls.b, "--engine", ENGINE)

    def test_01_enable_now_brings_it_up(self):
        self.b.tunctl("enable", "--now", SITE, check=False)  # the far end is not there yet
        self.a.tunctl("enable", "--now", SITE)
        self.a.wait_for_ping()
        status = self.a.status()
        self.assertEqual(status["health"], "up", status)
        self.assertEqual(status["engine"]["name"], ENGINE, status)
        self.assertEqual(self.a.show("UnitFileState"), "enabled")
        self.assertEqual(self.a.show("UnitFileState", "tunctl.target"), "enabled")
        self.a.tunctl("wait-online", SITE)

    def test_02_both_ends_have_the_same_key(self):
        fingerprints = [host.tunctl("key", "fingerprint", SITE) for host in (self.a, self.b)]
        self.assertEqual(fingerprints[0], fingerprints[1])

    def test_03_the_kernel_has_the_affinity_asked_for(self):
        pid = self.a.engine_pid()
        lists = self.a.shell(f"grep -h Cpus_allowed_list /proc/{pid}/task/*/status").splitlines()
        self.assertEqual({line.split()[1] for line in lists}, {"0"})
        self.assertEqual(self.a.show("CPUAffinity"), "0")

    def test_04_keys_and_config_are_the_engines_alone(self):
        listing = self.a.shell(f"stat -c '%n %a %u' /run/tunctl/{SITE}/*").splitlines()
        uid = self.a.shell(f"stat -c %u /proc/{self.a.main_pid()}").strip()
        self.assertNotEqual(uid, "0")
        for name, mode, owner in map(str.split, listing):
            self.assertEqual(owner, uid, name)
            expected = {"launch.json": "444", "management.sock": "700"}
            self.assertEqual(mode, expected.get(name.rpartition("/")[2], "400"), name)

    def test_05_the_unit_is_closed_off(self):
        words = self.a.run("systemd-analyze", "--no-pager", "security", UNIT).splitlines()[-1]
        exposure = float(words.split("service: ")[1].split()[0])
        self.assertLessEqual(exposure, 2.0, words)

    def back_after_killing(self, victim):
        """Seconds until traffic flows again; the better of two, for the machine is shared."""
        times = []
        for _ in range(2):
            pid = self.a.main_pid()
            self.a.run("kill", "-9", str(victim()))
            times.append(self.a.seconds_until_back(pid))
            if times[-1] < BACK_SECONDS:
                break
        return min(times)

    def test_06_killed_it_is_back_and_counted(self):
        restarts = int(self.a.show("NRestarts"))
        self.assertLess(self.back_after_killing(self.a.main_pid), BACK_SECONDS)
        self.assertGreater(int(self.a.show("NRestarts")), restarts)
        self.assertEqual(self.a.run("pgrep", "-c", "tunctl-fastpath|openvpn").strip(), "1")

    def test_07_a_killed_engine_ends_the_guard_too(self):
        if ENGINE == "fastpath":
            return self.assertEqual(self.a.engine_pid(), self.a.main_pid())
        self.assertLess(self.back_after_killing(self.a.engine_pid), BACK_SECONDS)

    def test_08_stopped_it_misses_its_watchdog(self):
        pid = self.a.main_pid()
        self.a.run("kill", "-STOP", str(self.a.engine_pid()))
        self.assertLess(self.a.seconds_until_back(pid), STOPPED_SECONDS)
        self.assertIn("Watchdog timeout", self.a.journal())

    def test_09_an_edit_counts_from_the_next_start(self):
        self.a.edit_site("s/^type = .*/&\\nmtu-disc-is-no-key = 1/")
        done = self.a.run("systemctl", "restart", UNIT, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.a.wait_for(f"systemctl is-failed {UNIT}")
        self.assertEqual(self.a.show("ExecMainStatus"), "78")
        self.assertIn("mtu-disc-is-no-key", self.a.status()["cause"])
        self.a.edit_site("s/^mtu-disc-is-no-key.*/tun-mtu = 1400/")
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()
        self.assertIn("mtu 1400", self.a.shell("ip link show | grep 10.8.0 -B3 ; ip link show"))

    def test_10_a_missing_key_is_one_clear_error(self):
        keys = f"/etc/tunctl/keys/{SITE}"
        self.a.shell(f"mv {keys} {keys}.away")
        done = self.a.tunctl("restart", SITE, check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(keys, done.stderr)
        self.a.wait_for_ping(timeout=3)  # asked through tunctl, what runs is left alone
        self.a.run("systemctl", "restart", UNIT, check=False)
        self.assertTrue(self.a.stays_failed())  # a restart mends nothing
        self.assertIn(keys, self.a.status()["cause"])
        self.a.shell(f"mv {keys}.away {keys}")

    def test_11_a_wrong_key_is_told_apart_from_a_peer_that_is_away(self):
        keep = f"/var/tmp/{SITE}.keys"
        self.a.shell(f"cp -a /etc/tunctl/keys/{SITE} {keep}")
        self.a.tunctl("key", "gen", "--force", SITE)
        done = self.a.tunctl("--timeout", "8", "restart", SITE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(self.a.show("ActiveState"), "active")
        self.assertNotEqual(self.a.status()["health"], "up")
        if ENGINE == "fastpath":
            self.a.wait_for(f"ping -c 1 -W 1 {FAR}; tunctl status {SITE} | grep 'fail authentication'")
        self.a.shell(f"rm -r /etc/tunctl/keys/{SITE}; mv {keep} /etc/tunctl/keys/{SITE}")
        self.a.tunctl("restart", SITE)
        self.a.wait_for_ping()

    def test_12_a_taken_port_is_named(self):
        port = self.a.shell(f"sed -n 's/^port = //p' /etc/tunctl/sites/{SITE}.toml").split()[0]
        self.a.tunctl("stop", SITE)
        self.a.write("/var/tmp/squat.py", _SQUATTER)
        self.a.run("systemd-run", "--unit=squatter", "python3", "/var/tmp/squat.py", port)
        self.a.wait_for(f"ss -Hlun 'sport = :{port}' | grep .")
        done = self.a.tunctl("--timeout", "3", "start", SITE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.a.wait_for(f"tunctl status {SITE} | grep squatter.service")
        self.a.run("systemctl", "stop", "squatter")
        self.a.wait_for_ping()  # nobody had to do anything more

    def test_13_an_older_program_is_seen_and_keeps_running(self):
        pid = self.a.main_pid()
        self.a.shell("cd /usr/local && for p in bin/tunctl sbin/tunctl-fastpath; do"
                     " cp $p $p.new && mv $p.new $p; done")
        self.assertEqual(self.a.main_pid(), pid)
        self.assertIn("older program", str(self.a.status()))
        self.a.tunctl("restart", SITE)
        self.assertNotIn("older program", str(self.a.status()))

    def test_14_a_drop_in_that_no_longer_fits_is_told(self):
        self.a.edit_site('s/^cpus = .*/cpus = "0-1"/')
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()
        self.assertIn("drop-in", str(self.a.status()))
        pid = self.a.engine_pid()
        allowed = self.a.shell(f"grep Cpus_allowed_list /proc/{pid}/status").split()[1]
        self.assertEqual(allowed, "0-1")  # it starts right all the same
        self.a.tunctl("restart", SITE)
        self.assertIn(self.a.show("CPUAffinity"), ("0-1", "0 1"))  # as its systemd writes it
        self.assertNotIn("drop-in", str(self.a.status()))

    def test_15_reload_takes_over_a_directive(self):
        pid = self.a.main_pid()
        self.a.edit_site("s/^tun-mtu = 1400/tun-mtu = 1380/")
        self.a.tunctl("reload", SITE)
        self.a.wait_for("ip link show | grep 'mtu 1380'")
        self.a.wait_for_ping()
        self.assertEqual(self.a.main_pid(), pid)
        if ENGINE == "fastpath":  # the guard of stock OpenVPN does not hear of options that differ
            self.a.wait_for(f"tunctl status {SITE} | grep 'tun-mtu is 1500 there and 1380 here'")
        self.a.edit_site("s/^tun-mtu = 1380/tun-mtu = 1500/")
        self.a.tunctl("reload", SITE)
        self.a.wait_for("ip link show | grep 'mtu 1500'")
        self.a.wait_for_ping()

    def test_16_without_the_system_bus_root_still_gets_through(self):
        self.a.tunctl("wait-online", SITE)
        self.a.run("systemctl", "stop", "dbus.socket", "dbus.service")
        self.addCleanup(self.a.run, "systemctl", "start", "dbus.socket")
        self.a.tunctl("status", SITE)
        self.a.tunctl("restart", SITE)
        self.a.wait_for_ping()

    def test_17_somebody_without_rights_sees_but_changes_nothing(self):
        def nobody(*words):
            return self.a.run("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                              "tunctl", *words, check=False)
        self.a.tunctl("wait-online", SITE)
        self.assertEqual(nobody("status", SITE).returncode, 0)
        refused = nobody("stop", SITE)
        self.assertEqual(refused.returncode, 7, refused.stderr)
        self.assertIn("root", refused.stderr)
        self.assertEqual(self.a.show("ActiveState"), "active")

    def test_18_disable_now_leaves_nothing_behind(self):
        self.a.tunctl("disable", "--now", SITE)
        self.assertEqual(self.a.show("UnitFileState"), "disabled")
        self.assertEqual(self.a.show("ActiveState"), "inactive")
        self.a.shell(f"! test -e /run/tunctl/{SITE} && ! pgrep 'tunctl-fastpath|openvpn'")
        done = self.a.tunctl("status", SITE, check=False)
        self.assertEqual(done.returncode, 3)

    def test_19_uninstalled_it_runs_until_it_is_stopped(self):
        self.a.tunctl("enable", "--now", SITE)
        self.a.wait_for_ping()
        pid = self.a.main_pid()
        place = str(hosts.TREE / "cmake" / "place")
        done = self.a.run(place, "uninstall", "/usr/local", check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"/run/systemd/system/{UNIT}", done.stderr)
        self.assertIn(f"systemctl disable --now {UNIT}", done.stderr)
        time.sleep(WATCHDOG_SECONDS + 5)
        self.assertEqual(self.a.main_pid(), pid)
        self.a.wait_for_ping(timeout=3)
        self.assertNotIn("reception is disabled", self.a.journal())
        self.a.run("systemctl", "disable", "--now", UNIT)
        self.assertEqual(self.a.shell("ls -A /run/tunctl").split(), [])
        self.a.shell(f"! test -e /run/systemd/system/{UNIT}")
        self.a.shell("! pgrep 'tunctl|openvpn'")


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main(failfast=True)
