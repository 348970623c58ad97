#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site with `cpus = "auto"` leaves the CPU that is busy with packets, at every start anew."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import SITE, UNIT  # noqa: E402

TRIES = 5  # others may keep both CPUs busy for a while
# What is sent over lo is received in a softirq on the sender's CPU.
_FLOOD = """import os, socket
os.sched_setaffinity(0, {0})
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.bind(("127.0.0.1", 0))
while True:
    sink.sendto(b"x", sink.getsockname())
"""


class Placement(unittest.TestCase):
    """Steps that follow each other: unittest runs them by name."""

    @classmethod
    def setUpClass(cls):
        stage = site_hosts.stage()
        cls.host = site_hosts.SiteHost(f"tct-{os.getpid()}-p", stage.__enter__())
        cls.addClassCleanup(stage.__exit__, None, None, None)
        cls.addClassCleanup(cls.host.close)
        cls.host.tunctl("new", SITE, "--mode", "static-key", "--remote", "127.0.0.1", "--port",
                        "2011", "--cpus", "auto")
        cls.host.write("/run/flood.py", _FLOOD)

    def placed(self):
        return self.host.status()["engine"]

    def affinities(self):
        pid = self.host.main_pid()
        lists = self.host.shell(f"grep -h Cpus_allowed_list /proc/{pid}/task/*/status")
        return {line.split()[1] for line in lists.splitlines()}

    def test_01_the_unit_gets_what_was_decided_and_status_says_why(self):
        self.host.tunctl("enable", SITE)
        self.host.run("systemctl", "start", UNIT)
        self.host.wait_for(f"systemctl is-active {UNIT}")
        placement = self.placed()["placement"]
        self.assertEqual(placement["asked"], "auto")
        self.assertTrue(placement["reasons"][0].startswith("auto: "), placement)
        shown = self.host.tunctl("-v", "status", SITE, check=False).stdout
        for reason in placement["reasons"]:
            self.assertIn(f"Placed: {reason}\n", shown)
        self.assertIn("run.cpus: auto: ", self.host.journal())

    def test_02_it_leaves_a_cpu_that_is_busy_with_packets(self):
        self.host.run("systemd-run", "--unit=flood", "python3", "/run/flood.py")
        for _ in range(TRIES):
            self.host.run("systemctl", "restart", UNIT)
            self.host.wait_for(f"systemctl is-active {UNIT}")
            engine = self.placed()
            if 0 not in engine.get("cpus", [0]):
                break
        self.assertNotIn(0, engine.get("cpus", [0]), engine)
        self.assertRegex(" ".join(engine["placement"]["reasons"]),
                         r"CPU 0 is left to \d+ network softirqs a second")
        for cpus in self.affinities():
            self.assertNotIn("0", cpus.replace("-", ",").split(","))
        self.assertFalse([w for w in self.host.status()["warnings"] if "drop-in" in w or "CPUs" in w])

    def test_03_a_reload_leaves_it_there(self):
        before = self.affinities()
        self.host.run("systemctl", "stop", "flood")
        self.host.tunctl("reload", SITE)
        self.assertEqual(self.affinities(), before)

    def test_04_the_picture_is_there_in_time(self):
        seconds = self.host.shell("s=$(date +%s%N); tunctl topology >/run/picture || exit 1;"
                                  " echo $(( ($(date +%s%N) - s) / 1000000 ))")
        self.assertLess(int(seconds), 5000)  # 1500 where nothing else runs
        self.assertIn(SITE, self.host.shell("cat /run/picture"))


if __name__ == "__main__":
    skip.need("root", "tun", "boot", "cpus")
    netns.end_on_signals()
    unittest.main(failfast=True)
