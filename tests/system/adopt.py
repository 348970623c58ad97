#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A running openvpn-client@ of the distribution is taken over, by somebody who came in through that
very tunnel, and given back; and it is back by itself when the far end is away, when nobody confirms
the switch, and when the command is interrupted or killed on the way.
"""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import skip  # noqa: E402
import stock_server  # noqa: E402
from stock_server import FAR, HERE  # noqa: E402

SITE = "office"
OLD = f"openvpn-client@{SITE}.service"
UNIT = stock_server.unit_of(SITE)
NOTE = f"/var/lib/tunctl/.adopted/{SITE}.json"
CONFIG = f"/etc/openvpn/client/{SITE}.conf"
OVER_THE_TUNNEL = f"SSH_CONNECTION={FAR} 40000 {HERE} 22"
PING_INTERVAL = 0.02
LOST_MAX = 750  # 15 s for two switches, on a busy machine
CLIENT = "# as the office hands it out\n" + stock_server.CLIENT + """persist-key
persist-tun
ca ca.crt
cert client.crt
key client.key
script-security 2
up /etc/openvpn/update-resolv-conf
down /etc/openvpn/update-resolv-conf
"""


class Adopt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server, cls.client = stock_server.two_hosts(cls)
        with stock_server.authority() as folder:
            stock_server.put(cls.server, folder, stock_server.SERVER)
            for file in ("ca.crt", "client.crt", "client.key"):
                cls.client.write(f"/etc/openvpn/client/{file}", (folder / file).read_text())
        cls.client.write(CONFIG, CLIENT)
        cls.client.run("chmod", "600", "/etc/openvpn/client/client.key")
        cls.client.write(f"/etc/systemd/system/{OLD}.d/cpu.conf", "[Service]\nCPUAffinity=0\n")
        cls.client.run("systemctl", "daemon-reload")
        cls.start_server()
        cls.client.run("systemctl", "enable", "--now", OLD)
        cls.client.wait_for_ping(FAR)

    @classmethod
    def start_server(cls):
        stock_server.start(cls.server)

    def without_server(self):
        self.server.run("systemctl", "stop", "stock")
        self.addCleanup(self.client.wait_for_ping, FAR)
        self.addCleanup(self.start_server)

    def state(self, unit):
        return tuple(self.client.shell(f"systemctl is-active {unit}; systemctl is-enabled {unit}; true")
                     .split())

    def timers(self):
        return self.client.shell("systemctl list-units --all --plain --no-legend "
                                 "'tunctl-adopt-*.timer' | awk '{print $1}'").split()

    def assert_old_unit_is_back(self, within=0.0):
        self.client.wait_for(f"systemctl is-active {OLD} && ! test -e {NOTE}", within)
        self.assertEqual(self.state(OLD), ("active", "enabled"))
        self.assertEqual(self.state(UNIT)[0], "inactive")
        self.assertEqual(self.client.shell(f"cat {CONFIG}"), CLIENT)
        self.assertEqual(self.client.shell(
            "find /etc/tunctl /var/lib/tunctl /etc/systemd/system/tunctl@?*.d ! -type d 2>/dev/null; "
            "systemctl list-units --all --plain --no-legend 'tunctl-adopt-*.timer'"), "")

    def begin(self, *words):
        """The command as a unit of its own, so that it can be killed once it has begun."""
        self.client.run("systemd-run", "--quiet", "--collect", "--unit=adopter", "tunctl", "adopt",
                        OLD, *words)
        self.client.wait_for(f"systemctl is-active {UNIT}")

    def test_1_over_its_own_tunnel(self):
        client = self.client
        self.server.run("systemd-run", "--quiet", "--unit=pings", "sh", "-c",
                        f"exec ping -q -i {PING_INTERVAL} {HERE} >/tmp/pings")
        said = client.run("env", OVER_THE_TUNNEL, "tunctl", "adopt", f"openvpn-client@{SITE}",
                          "--wait", "20")
        self.assertIn(f"next: tunctl adopt --confirm {SITE}", said)
        client.wait_for_ping(FAR)
        self.assertEqual(self.state(OLD), ("inactive", "enabled"))  # a boot would bring it back
        self.assertEqual(self.timers(), [f"tunctl-adopt-{SITE}.confirm.timer"])

        client.tunctl("adopt", "--confirm", SITE)
        self.assertEqual(self.state(OLD), ("inactive", "disabled"))
        self.assertEqual(self.state(UNIT), ("active", "enabled"))
        self.assertEqual(self.timers(), [])
        status = client.status(SITE)
        self.assertEqual((status["health"], status["engine"]["name"]), ("up", "fastpath"), status)
        site = client.shell(f"cat /etc/tunctl/sites/{SITE}.toml")
        for wanted in (f'config = "{CONFIG}"', 'options = ["nobind"]', 'cpus = "0"',
                       'use = "pushed"'):
            self.assertIn(wanted, site)
        self.assertEqual(client.shell(f"cat {CONFIG}"), CLIENT)
        again = client.tunctl("adopt", OLD, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn(f"tunctl adopt --undo {SITE}", again.stderr)

        client.tunctl("adopt", "--undo", SITE)
        self.assert_old_unit_is_back()
        client.wait_for_ping(FAR)
        self.server.run("systemctl", "kill", "--kill-who=main", "-s", "INT", "pings")
        self.server.wait_for("grep -q transmitted /tmp/pings")
        sent, heard = map(int, re.search(r"(\d+) packets transmitted, (\d+) received",
                                         self.server.shell("cat /tmp/pings")).groups())
        print(f"there and back: {sent} pings every {PING_INTERVAL * 1000:.0f} ms, "
              f"{sent - heard} lost", flush=True)
        self.assertLess(sent - heard, LOST_MAX)

    def test_2_nobody_confirms(self):
        self.client.run("env", OVER_THE_TUNNEL, "tunctl", "adopt", SITE, "--wait", "5")
        self.assertEqual(self.state(UNIT)[0], "active")
        self.assert_old_unit_is_back(within=20)
        self.client.wait_for_ping(FAR)
        done = self.client.tunctl("adopt", "--confirm", SITE, check=False)
        self.assertEqual((done.returncode, done.stderr), (4, f"tunctl: {SITE} was not adopted\n"))

    def test_3_the_far_end_is_away(self):
        self.without_server()
        done = self.client.tunctl("adopt", OLD, "--wait", "3", check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"{SITE}: not up: the peer has not been heard", done.stderr)
        self.assert_old_unit_is_back()

    def test_4_interrupted(self):
        self.without_server()
        self.begin("--wait", "60")
        self.client.run("systemctl", "kill", "--kill-who=main", "-s", "INT", "adopter")
        self.assert_old_unit_is_back(within=30)  # the timer has 75 s

    def test_5_killed(self):
        self.without_server()
        self.begin("--wait", "8")
        self.client.run("systemctl", "kill", "--kill-who=main", "-s", "KILL", "adopter")
        self.assertEqual(self.state(UNIT)[0], "active")  # killed before it could give it back
        self.assert_old_unit_is_back(within=40)

    def test_6_what_autostart_starts_is_masked(self):
        self.client.shell(f"cp {CONFIG} /etc/openvpn/home.conf; cp /etc/openvpn/client/*.crt "
                          "/etc/openvpn/client/*.key /etc/openvpn; systemctl daemon-reload")
        said = self.client.tunctl("--dry-run", "adopt", "home")
        for wanted in ("would write /etc/tunctl/sites/home.toml", "would mask openvpn@home.service",
                       "would enable tunctl@home.service"):
            self.assertIn(wanted, said)
        done = self.client.tunctl("adopt", "openvpn-client@offise", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean openvpn-client@office?", done.stderr)
        done = self.client.tunctl("adopt", "systemd-journald.service", check=False)
        self.assertIn("which is no openvpn", done.stderr)


if __name__ == "__main__":
    skip.need("root", "tun", "boot", "program:openssl")
    netns.end_on_signals()
    unittest.main()
