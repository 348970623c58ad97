#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tunctl run` where there is no systemd: two namespaces, each with a root folder of its own.

    run_foreground.py fastpath|openvpn     the engine that a runs
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import NotifySocket  # noqa: E402
from processes import LoggedProgram  # noqa: E402
from site_hosts import BUILD, FAR, SITE  # noqa: E402

ENGINE = sys.argv.pop(1) if len(sys.argv) > 1 else "fastpath"
TUNCTL = str(BUILD / "supervisor" / "tunctl")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return ") Z " not in file.read()
    except OSError:
        return False


class Machine:
    """One end: a namespace and a root folder."""

    def __init__(self, folder, name, namespace):
        self.root = os.path.join(folder, name)
        os.mkdir(self.root)
        self.namespace = namespace
        self.started = 0

    def tunctl(self, *words, check=True, **options):
        done = subprocess.run([*self.namespace.prefix(), TUNCTL, "--root", self.root, *words],
                              text=True, capture_output=True, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"tunctl {words}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout if check else done

    def start(self, environment=None, *names):
        self.started += 1
        return LoggedProgram("tunctl run", self.namespace.start,
                             [TUNCTL, "--root", self.root, "run", *(names or (SITE,))],
                             f"{self.root}.{self.started}.log",
                             env={**os.environ, **(environment or {})})

    def status(self):
        done = self.tunctl("status", "--json", SITE, check=False)
        return json.loads(done.stdout)["sites"][0]

    def processes(self):
        """Every process with this root on its command line, but `tunctl run` itself."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().decode("utf-8", "replace").split("\0")
            except OSError:
                continue
            if "run" not in words and any(self.root in word for word in words) and alive(entry):
                found.append(int(entry))
        return found

    def recorded_pid(self):
        """What the record says, which may be a second old; 0: none."""
        try:
            with open(f"{self.root}/run/tunctl/{SITE}.unit.json", encoding="utf-8") as file:
                return json.load(file)["main-pid"]
        except (OSError, ValueError):
            return 0

    def main_pid(self, other_than=0, timeout=30.0):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            pid = self.recorded_pid()
            if pid > 0 and pid != other_than and alive(pid):
                return pid
            time.sleep(0.05)
        raise AssertionError(f"no main process but {other_than} within {timeout} s")


class RunForeground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="tct-")
        cls.addClassCleanup(folder.cleanup)
        pair = netns.Pair(("10.0.0.1", "10.0.0.2"))
        cls.addClassCleanup(pair.close)
        spaces = list(pair)
        cls.a = Machine(folder.name, "a", spaces[0])
        cls.b = Machine(folder.name, "b", spaces[1])
        cls.a.tunctl("new", SITE, "--mode", "static-key", "--remote", "10.0.0.2", "--far-remote", "10.0.0.1", "--ifconfig",
                     "10.8.0.1", FAR, "--cpus", "0", "--engine", ENGINE)
        cls.b.tunctl("import", "-", "--as", SITE,
                     input=cls.a.tunctl("render", SITE, "--far-end", "--stdout"))
        far = cls.b.start()
        cls.addClassCleanup(far.stop)

    def up(self, **options):
        program = self.a.start(**options)
        self.addCleanup(program.stop)
        traffic.wait_for_ping(self.a.namespace, FAR, 30)
        return program

    def test_a_killed_child_is_back_within_three_seconds_and_counted(self):
        program = self.up()
        pid = self.a.main_pid()
        os.kill(pid, signal.SIGKILL)
        start = time.monotonic()
        self.a.main_pid(other_than=pid)
        if ENGINE == "fastpath":
            program.wait_for_line("resumed: ")
        traffic.wait_for_ping(self.a.namespace, FAR, 10)
        self.assertLess(time.monotonic() - start, 3.0)
        time.sleep(1.2)  # the record is at most a second old
        status = self.a.status()
        self.assertEqual(status["unit"]["restarts"], 1, status)

    def test_killing_tunctl_run_leaves_no_engine_behind(self):
        program = self.up()
        engines = self.a.processes()
        self.assertTrue(engines)
        os.kill(program.pid, signal.SIGKILL)
        end = time.monotonic() + 5
        while any(map(alive, engines)) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual([pid for pid in engines if alive(pid)], [])
        self.assertEqual(self.a.status()["health"], "down")
        program.stop()
        self.up()  # and what was left behind is in nobody's way

    def test_a_stopped_engine_misses_its_watchdog(self):
        program = self.up()
        pid = self.a.main_pid()
        for process in self.a.processes():
            os.kill(process, signal.SIGSTOP)
        self.a.main_pid(other_than=pid)
        traffic.wait_for_ping(self.a.namespace, FAR, 10)
        self.assertIn("watchdog missed", program.log())

    def test_a_second_run_of_a_site_is_refused(self):
        self.up()
        done = self.a.tunctl("run", SITE, check=False, timeout=20)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        traffic.wait_for_ping(self.a.namespace, FAR, 2)

    def test_it_is_a_good_citizen_and_ends_with_zero(self):
        with tempfile.TemporaryDirectory(prefix="tct-") as folder:
            manager = NotifySocket(f"{folder}/notify")
            program = self.up(environment=manager.environment)
            program.wait_until(lambda: manager.last("READY"), "READY=1")
            self.assertEqual(manager.last("STATUS"), "1 of 1 running")
            program.child.send_signal(signal.SIGTERM)
            self.assertEqual(program.child.wait(timeout=20), 0)
            stopping = manager.last("STOPPING")
            manager.close()
        self.assertEqual(stopping, "1")
        self.assertEqual(self.a.processes(), [])
        self.assertFalse(os.path.exists(f"{self.a.root}/run/tunctl/.run"))

    def test_a_missing_key_ends_it_with_one_clear_error(self):
        keys = f"{self.a.root}/etc/tunctl/keys/{SITE}"
        os.rename(keys, keys + ".away")
        self.addCleanup(os.rename, keys + ".away", keys)
        done = self.a.tunctl("run", SITE, check=False, timeout=20)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"/etc/tunctl/keys/{SITE}", done.stderr)


if __name__ == "__main__":
    skip.need("root", "tun", "netns")
    netns.end_on_signals()
    unittest.main()
