#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted into a host with a tunnel, one after the other: `tunctl doctor` names each, and
nothing of it once it is mended."""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import SITE  # noqa: E402

DEGRADED = 6


class Doctor(unittest.TestCase):
    """Steps that follow each other: unittest runs them by name."""

    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_with_site(cls, "--route", "192.168.7.0/24")
        cls.a.shell("sysctl -qw net.ipv4.ip_forward=1")

    def findings(self):
        done = self.a.tunctl("doctor", "--json", SITE, check=False)
        found = json.loads(done.stdout)["findings"]
        faults = [each for each in found if each["verdict"] == "fault"]
        self.assertEqual(done.returncode, DEGRADED if faults else 0, found)
        return found

    def bad(self, check):
        """Verdicts of a check that are not good, each with its evidence."""
        return [(each["verdict"], each["evidence"]) for each in self.findings()
                if each["check"] == check and each["verdict"] != "good"]

    def assert_names(self, check, verdict, words, plant, mend):
        self.assertEqual(self.bad(check), [], "before it was planted")
        self.a.shell(plant)
        try:
            seen = self.bad(check)
            self.assertEqual([each[0] for each in seen], [verdict], seen)
            self.assertIn(words, seen[0][1])
        finally:
            self.a.shell(mend)
        self.assertEqual(self.bad(check), [], "after it was mended")

    def test_01_what_is_in_order_is_good(self):
        good = {each["check"] for each in self.findings() if each["verdict"] == "good"}
        self.assertLessEqual({"forwarding", "config", "manager", "routes", "mtu", "buffers",
                              "cores"}, good)
        page = self.a.tunctl("doctor", check=False).stdout
        self.assertIn(f"\n{SITE}\n", page)
        self.assertRegex(page.splitlines()[-1], r"^\d+ faults?, \d+ notes?$")

    def test_02_forwarding_that_is_off(self):
        self.assert_names("forwarding", "fault", "IPv4 is not forwarded",
                          "sysctl -qw net.ipv4.ip_forward=0", "sysctl -qw net.ipv4.ip_forward=1")

    def test_03_a_firewall_that_forwards_nothing(self):
        self.assert_names(
            "forward", "fault", "inet t gate",
            "nft 'add table inet t; add chain inet t gate"
            " { type filter hook forward priority 0; policy drop; }'",
            "nft delete table inet t")

    def test_04_a_firewall_that_lets_nobody_call(self):
        # Ends that call each other need no open port here; one that only waits does.
        file = f"/etc/tunctl/sites/{SITE}.toml"
        self.a.shell(f"cp {file} /run/kept && sed -i '/^remote/d' {file}")
        self.assert_names(
            "port", "fault", "udp port",
            "nft 'add table inet t; add chain inet t door"
            " { type filter hook input priority 0; policy drop; }'",
            "nft delete table inet t")
        self.a.shell(f"cp /run/kept {file}")

    def test_05_the_same_network_into_two_interfaces(self):
        self.assert_names("routes", "fault", "192.168.7.0/24 leads into",
                          "ip link add d0 type dummy 2>/dev/null || ip tuntap add d0 mode tun;"
                          " ip link set d0 up; ip route append 192.168.7.0/24 dev d0",
                          "ip link del d0")

    def test_06_a_black_hole(self):
        # The far end's side of the cable takes less, and says nothing.
        self.assertEqual(self.bad("mtu"), [])
        self.b.shell("ip link set eth1 mtu 1300")
        try:
            seen = self.bad("mtu")
            self.assertEqual([each[0] for each in seen], ["fault"], seen)
            self.assertIn("black hole", seen[0][1])
        finally:
            self.b.shell("ip link set eth1 mtu 1500")
        self.assertEqual(self.bad("mtu"), [])

    def test_07_somebody_else_in_charge_of_the_interface(self):
        index = self.a.shell(f"cat /sys/class/net/{SITE}/ifindex").strip()
        note = f"/run/NetworkManager/devices/{index}"
        self.assert_names("manager", "fault", "NetworkManager takes",
                          f"mkdir -p /run/NetworkManager/devices && echo managed=true >{note}",
                          f"rm {note}")

    def test_08_the_two_ends_by_their_files(self):
        self.a.shell(f"tunctl render {SITE} --to /run/near >/dev/null &&"
                     f" tunctl render {SITE} --far-end --to /run/far >/dev/null")
        near, far = (self.a.shell(f"ls /run/{end}/*.conf").strip() for end in ("near", "far"))
        done = self.a.tunctl("doctor", "--pair", near, far, check=False)
        self.assertIn("fit together", done.stdout)
        self.a.shell(f"sed -i 's/^cipher .*/cipher AES-128-CBC/; s/^auth .*/auth SHA1/' {far}")
        done = self.a.tunctl("doctor", "--pair", near, far, check=False)
        self.assertEqual(done.returncode, DEGRADED)
        self.assertIn("the cipher is", done.stdout)
        self.assertIn("the digest is", done.stdout)

    def test_09_nothing_was_changed(self):
        self.a.wait_for_ping(timeout=3)


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main(failfast=True)
