#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A provider's client file as a site, as it is: imported and enabled on a host with a systemd of its
own, against a stock server on another. It survives kill -9, a restart and the server's restart, and
leaves the host as it was.
"""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import stock_server  # noqa: E402
from stock_server import FAR  # noqa: E402

SITE = "nl"
UNIT = stock_server.unit_of(SITE)
SERVER = stock_server.SERVER + """tls-auth ta.key 0
auth SHA512
push "redirect-gateway def1"
push "route 192.168.99.0 255.255.255.0"
"""
CLIENT = "# as a provider hands it out\n" + stock_server.CLIENT + """resolv-retry infinite
nobind
persist-key
persist-tun
cipher AES-256-GCM
auth SHA512
key-direction 1
verb 3
"""


def inline(folder):
    """The client's file with everything in it."""
    return CLIENT + "".join(stock_server.block(folder, directive, name) for directive, name in (
        ("ca", "ca.crt"), ("cert", "client.crt"), ("key", "client.key"), ("tls-auth", "ta.key")))


class TlsSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server, cls.client = stock_server.two_hosts(cls)
        with stock_server.authority() as folder:
            (folder / "ta.key").write_text(keys.static_key_text())
            stock_server.put(cls.server, folder, SERVER, ("ta.key",))
            cls.text = inline(folder)
        stock_server.start(cls.server)
        cls.client.write("/tmp/provider/nl3.ovpn", cls.text)

    def test_the_file_as_it_is(self):
        client = self.client
        before = client.shell("ip route; ip -6 route | grep -v fe80")
        client.tunctl("import", "/tmp/provider/nl3.ovpn", "--as", SITE)
        client.tunctl("--timeout", "30", "enable", "--now", SITE)
        client.wait_for_ping(FAR)
        self.assertEqual(client.status(SITE)["engine"]["name"], "fastpath", client.status(SITE))
        routes = client.shell("ip route")
        for wanted in ("0.0.0.0/1 via 10.9.0.1", "128.0.0.0/1 via 10.9.0.1", "192.168.99.0/24"):
            self.assertIn(wanted, routes)
        self.assertIn("dev eth1", client.shell("ip route get 10.0.0.1"))

        old = client.main_pid(UNIT)
        client.run("kill", "-9", str(old))
        client.wait_for(f'p=$(systemctl show --value -p MainPID {UNIT}); [ "$p" != 0 ] &&'
                        f' [ "$p" != {old} ] && ping -c 1 -W 1 {FAR}', 30)
        client.run("systemctl", "restart", UNIT)
        client.wait_for_ping(FAR)
        self.server.run("systemctl", "kill", "--kill-who=main", "-s", "SIGUSR1", "stock.service")
        client.wait_for(f"journalctl -u {UNIT} -o cat | grep -c 'nothing heard' && "
                        f"ping -c 1 -W 1 {FAR}", 40)

        client.tunctl("disable", "--now", SITE)
        client.wait_for(f"! ip link show {SITE}")
        self.assertEqual(client.shell("ip route; ip -6 route | grep -v fe80"), before)
        client.tunctl("remove", SITE)

    def bring(self, more, site_text=""):
        """The machine's routes before, and the site imported with `more` lines."""
        before = self.routes()
        self.client.write("/tmp/provider/more.ovpn", self.text + more)
        self.client.tunctl("import", "/tmp/provider/more.ovpn", "--as", SITE)
        self.addCleanup(self.client.tunctl, "remove", SITE, check=False)
        if site_text:
            self.client.shell(f"cat >> /etc/tunctl/sites/{SITE}.toml", input=site_text)
        return before

    def routes(self):
        return self.client.shell("ip route; ip -6 route | grep -v fe80")

    def test_killed_and_then_stopped_it_leaves_no_route(self):
        before = self.bring("redirect-gateway def1 ipv6\nblock-ipv6\n")
        self.client.tunctl("--timeout", "30", "start", SITE)
        self.client.wait_for_ping(FAR)
        self.assertNotEqual(self.client.shell("ip -6 route show proto 116"), "")
        # Before the unit's next start, which would undo it as well.
        self.client.shell(f"systemctl kill -s KILL {UNIT}; systemctl stop {UNIT}")
        # Such a stop does not wait for tunctl-undo@, which may have to do it.
        end = time.monotonic() + 5
        while self.routes() != before and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(self.routes(), before)

    def test_run_killed_and_the_site_removed_the_name_servers_are_back(self):
        client = self.client
        before = self.bring(
            "redirect-gateway def1 ipv6\nblock-ipv6\ndhcp-option DNS 10.9.0.1\n",
            '\n[dns]\nuse = "pushed"\n')
        resolver = "nameserver 192.0.2.53\n"
        client.shell("systemctl stop systemd-resolved; rm -f /etc/resolv.conf", check=False)
        client.write("/etc/resolv.conf", resolver)
        client.run("systemd-run", "--unit=by-hand", "tunctl", "run", SITE)
        self.addCleanup(client.run, "systemctl", "stop", "by-hand", check=False)
        client.wait_for("grep 'by tunctl' /etc/resolv.conf")
        client.wait_for_ping(FAR)
        client.run("systemctl", "kill", "--kill-who=main", "-s", "KILL", "by-hand")
        client.wait_for(f"! ip link show {SITE}")
        self.assertIn("10.9.0.1", client.shell("cat /etc/resolv.conf"))
        client.tunctl("remove", SITE)
        self.assertEqual(client.shell("cat /etc/resolv.conf"), resolver)
        self.assertEqual(self.routes(), before)


if __name__ == "__main__":
    skip.need("root", "tun", "boot", "program:openssl")
    netns.end_on_signals()
    unittest.main()
