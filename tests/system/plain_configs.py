#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plain OpenVPN configs as sites, as they are: `import` on two hosts, each engine on one of them,
with the default cipher (BF-CBC, which stock needs help for) and with none at all.
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import keys  # noqa: E402
import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402

SITE = "office"
UNIT = f"tunctl@{SITE}.service"
_COMMON = "dev tun3\nifconfig {here} {there}\n{protection}\nport 2011\nproto udp\n"
SERVER = _COMMON.format(here="10.8.0.1", there="10.8.0.2", protection="{protection}")
CLIENT = _COMMON.format(here="10.8.0.2", there="10.8.0.1", protection="{protection}") \
    + "remote 10.0.0.1\n"


class PlainConfigs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_of(cls)
        key = keys.static_key_text()
        for host in (cls.a, cls.b):
            host.write("/tmp/plain/static.key", key)
            host.run("chmod", "600", "/tmp/plain/static.key")

    def bring_up(self, host, text, engine):
        host.write(f"/tmp/plain/{SITE}.conf", text)
        host.tunctl("import", f"/tmp/plain/{SITE}.conf")
        self.addCleanup(host.tunctl, "remove", SITE)
        self.assertEqual(host.shell(f"cat /etc/tunctl/ovpn/{SITE}.conf"), text)  # byte for byte
        if engine == "openvpn" and "multihome" not in text:  # that one needs no telling
            host.edit_site('s/^engine = .*/engine = "openvpn"/', SITE)
        started = host.tunctl("--timeout", "1", "start", SITE, check=False)
        self.assertIn(started.returncode, (0, 3), started.stderr)
        host.wait_for(f"systemctl is-active {UNIT}")

    def pass_traffic(self, protection, server_engine, client_engine):
        self.bring_up(self.a, SERVER.format(protection=protection), server_engine)
        self.bring_up(self.b, CLIENT.format(protection=protection), client_engine)
        self.b.wait_for_ping("10.8.0.1", timeout=40)
        self.b.run("tunctl", "--timeout", "20", "wait-online", SITE)
        for host, engine in ((self.a, server_engine), (self.b, client_engine)):
            self.assertEqual(host.status(SITE)["engine"]["name"], engine)

    def test_static_key_native_at_both_ends(self):
        self.pass_traffic("secret static.key", "fastpath", "fastpath")

    def test_static_key_stock_calls_native(self):
        self.pass_traffic("secret static.key", "fastpath", "openvpn")

    def test_static_key_native_calls_stock(self):
        self.pass_traffic("secret static.key", "openvpn", "fastpath")

    def test_clear_text_stock_calls_native(self):
        self.pass_traffic("cipher none\nauth none", "fastpath", "openvpn")

    def test_clear_text_native_calls_stock(self):
        self.pass_traffic("cipher none\nauth none", "openvpn", "fastpath")

    def test_what_the_native_engine_does_not_do_runs_on_stock_and_says_why(self):
        self.pass_traffic("secret static.key\nmultihome", "openvpn", "openvpn")
        self.assertIn("multihome", self.a.tunctl("status", SITE))


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main()
