#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A provider's file that wants a user name and a password, on a host with a systemd of its own: what
is refused without them, how they are given, that they come back after kill -9, and that no command
line and no environment ever holds them. Then a one-time code on top."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import skip  # noqa: E402
import stock_server  # noqa: E402
from stock_server import FAR  # noqa: E402

SITE = "nl"
UNIT = stock_server.unit_of(SITE)
PASSWORD = "Geheim-und-lang"
STORED = f"/etc/tunctl/keys/{SITE}/auth-user-pass"
SERVER = stock_server.SERVER + """script-security 3
auth-user-pass-verify ./verify.sh via-env
verify-client-cert none
"""
VERIFY = f"""#!/bin/sh
echo "$username $password" >>/tmp/server/tries
case "$password" in
  {PASSWORD}|SCRV1:*:MTIzNDU2) exit 0 ;;
esac
exit 1
"""
CLIENT = stock_server.CLIENT + "nobind\nauth-user-pass\n"
# In every process's command line and environment; the pattern lies in a file, or the search would
# find itself.
SEARCH = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | grep -c -a -f /tmp/pattern"


class Credentials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server, cls.client = stock_server.two_hosts(cls)
        cls.text = stock_server.start_asking(cls.server, SERVER, VERIFY, CLIENT)

    def tries(self):
        return self.server.shell("cat /tmp/server/tries 2>/dev/null; rm -f /tmp/server/tries"
                                 ).splitlines()

    def refused(self, *words):
        done = self.client.tunctl(*words, check=False)
        self.assertEqual(done.returncode, 5, done.stdout + done.stderr)
        self.assertIn("auth-user-pass: nobody has given the user name and the password; "
                      f"`tunctl credentials {SITE}`", done.stderr)

    def found(self):
        return int(self.client.shell(SEARCH, check=False).stdout)

    def test_1_the_file_as_it_is(self):
        client = self.client
        client.write("/tmp/nl.ovpn", self.text)
        done = client.tunctl("import", "/tmp/nl.ovpn", "--as", SITE)
        self.assertIn("runs on the native fast path", done)
        self.assertIn(f"next: tunctl credentials {SITE}", done)
        self.refused("enable", "--now", SITE)
        self.refused("start", SITE)
        self.assertEqual(client.show("UnitFileState", UNIT), "disabled")
        checked = client.tunctl("check", SITE, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertIn(f"`tunctl credentials {SITE}`", checked.stderr)
        # Started past tunctl it fails once and for all, and says the same.
        client.run("systemctl", "start", UNIT, check=False)
        client.wait_for(f"[ $(systemctl show --value -p ActiveState {UNIT}) = failed ]")
        self.assertEqual(client.show("NRestarts", UNIT), "0")
        self.assertIn(f"tunctl credentials {SITE}", client.tunctl("status", SITE, check=False).stdout)
        client.run("systemctl", "reset-failed", UNIT)

        client.tunctl("credentials", SITE, input=f"joe\n{PASSWORD}\n")
        self.assertEqual(client.shell(f"stat -c '%a %U' {STORED}").strip(), "600 root")
        client.tunctl("--timeout", "30", "enable", "--now", SITE)
        client.wait_for_ping(FAR)
        self.assertEqual(client.status(SITE)["engine"]["name"], "fastpath", client.status(SITE))
        # What the engine has belongs to its user, and to nobody else.
        copy = client.shell(f"stat -c '%a %U' /run/tunctl/{SITE}/auth-user-pass").strip()
        self.assertEqual(copy, f"400 tunctl-{SITE}")
        client.write("/tmp/pattern", PASSWORD + "\n")
        self.assertEqual(self.found(), 0)
        client.run("systemd-run", "--unit=seen", f"--setenv=X={PASSWORD}", "sleep", "60")
        self.assertNotEqual(self.found(), 0, "the search itself finds nothing")
        client.run("systemctl", "stop", "seen.service")
        self.assertEqual(self.tries(), [f"joe {PASSWORD}"])
        self.assertNotIn(PASSWORD, client.shell(f"journalctl -o cat -u {UNIT}; cat /run/tunctl/{SITE}/*"
                                                ".conf"))

        old = client.main_pid(UNIT)
        client.run("kill", "-9", str(old))
        client.wait_for(f'p=$(systemctl show --value -p MainPID {UNIT}); [ "$p" != 0 ] &&'
                        f' [ "$p" != {old} ] && ping -c 1 -W 1 {FAR}', 30)
        self.assertEqual(self.found(), 0)

    def test_2_a_wrong_password_is_tried_once(self):
        client = self.client
        self.tries()
        client.tunctl("credentials", SITE, input="joe\nwrong\n")
        done = client.tunctl("--timeout", "20", "restart", SITE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("AUTH_FAILED", done.stderr)
        self.assertEqual(client.show("ActiveState", UNIT), "failed")
        self.assertEqual(self.tries(), ["joe wrong"])
        self.assertEqual(client.show("ExecMainStatus", UNIT), "78")
        client.tunctl("credentials", SITE, input=f"joe\n{PASSWORD}\n")
        client.tunctl("--timeout", "30", "start", SITE)
        client.tunctl("disable", "--now", SITE)
        client.tunctl("remove", SITE)
        self.assertEqual(client.shell("ls /etc/tunctl/keys").strip(), "")

    def test_3_a_code_on_top(self):
        client = self.client
        client.write("/tmp/nl.ovpn", self.text + 'static-challenge "Your code" 0\n')
        client.write("/tmp/login", f"joe\n{PASSWORD}\n")
        client.tunctl("import", "/tmp/nl.ovpn", "--as", SITE, "--credentials", "/tmp/login")
        client.tunctl("enable", SITE)
        done = client.tunctl("--timeout", "3", "start", SITE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn(f"an answer is wanted: Your code; `tunctl credentials {SITE}`", done.stderr)
        self.assertIn("Your code", client.tunctl("status", SITE, check=False).stdout)
        self.tries()
        answered = client.tunctl("credentials", SITE, input="123456\n")
        self.assertEqual(answered, f"{SITE}: answered\n")
        client.wait_for_ping(FAR)
        self.assertEqual(len(self.tries()), 1)
        client.tunctl("disable", "--now", SITE)
        client.tunctl("remove", SITE)

    def test_4_held_by_systemd(self):
        client = self.client
        client.write("/tmp/nl.ovpn", self.text)
        client.tunctl("import", "/tmp/nl.ovpn", "--as", SITE)
        client.shell(f"printf '[credentials]\\nauth-user-pass = \"credential:vpn\"\\n'"
                     f" >>/etc/tunctl/sites/{SITE}.toml")
        client.tunctl("enable", SITE)
        done = client.tunctl("--timeout", "20", "start", SITE, check=False)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("the unit has no credential vpn", done.stderr)
        client.write("/etc/vpn.login", f"joe\n{PASSWORD}\n")
        client.write(f"/etc/systemd/system/{UNIT}.d/20-vpn.conf",
                     "[Service]\nLoadCredential=vpn:/etc/vpn.login\n")
        client.run("systemctl", "daemon-reload")
        client.tunctl("--timeout", "30", "start", SITE)
        client.wait_for_ping(FAR)
        self.assertEqual(client.run("ls", f"/run/tunctl/{SITE}/auth-user-pass",
                                    check=False).returncode, 2, "it was copied")
        client.tunctl("disable", "--now", SITE)


if __name__ == "__main__":
    skip.need("root", "tun", "boot", "program:openssl")
    netns.end_on_signals()
    unittest.main()
