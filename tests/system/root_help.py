#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a unit's engine has no right to, done by tunctl-helper on a host with a systemd of its own:
pushed name servers with nothing, with resolvconf and with systemd-resolved, given back after each
kind of end; a challenge answered at systemd's password agent; and who is refused.
"""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import debs  # noqa: E402
import hosts  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import stock_server  # noqa: E402
from stock_server import FAR  # noqa: E402

SITE = "nl"
UNIT = stock_server.unit_of(SITE)
SECRET = "123456"
BEFORE = "# the admin's\nnameserver 192.0.2.53\n"
SERVER = stock_server.SERVER + """script-security 3
auth-user-pass-verify ./verify.sh via-env
verify-client-cert none
push "dhcp-option DNS 10.9.0.1"
push "dhcp-option DOMAIN corp.example"
"""
VERIFY = f"""#!/bin/sh
echo "$password" >>/tmp/server/tries
case "$password" in geheim|SCRV1:*:MTIzNDU2) exit 0 ;; esac
exit 1
"""
CLIENT = stock_server.CLIENT + "nobind\nauth-user-pass\n"
PUSHED = '[dns]\nuse = "pushed"\n'
# Sends its argument to the helper and prints what comes back.
CALL = """import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.settimeout(10)
s.connect("/run/tunctl/.helper")
s.send(sys.argv[1].encode().decode("unicode_escape").encode("latin-1"))
print(s.recv(4096).decode())
"""
SET = r"set-name-servers {}\nwhole-machine\nserver 6.6.6.6 0\n"


class RootHelp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server, cls.client = stock_server.two_hosts(cls)
        cls.text = stock_server.start_asking(cls.server, SERVER, VERIFY, CLIENT)
        cls.client.write("/opt/call.py", CALL)
        cls.client.shell("systemctl stop systemd-resolved 2>/dev/null; rm -f /etc/resolv.conf")
        cls.client.write("/etc/resolv.conf", BEFORE)
        cls.client.run("chmod", "640", "/etc/resolv.conf")

    def bring(self, site_text=PUSHED, more=""):
        client = self.client
        client.write("/tmp/nl.ovpn", self.text + more)
        client.tunctl("import", "/tmp/nl.ovpn", "--as", SITE, "--credentials", "-",
                      input="joe\ngeheim\n")
        self.addCleanup(client.tunctl, "remove", SITE, check=False)
        self.addCleanup(client.tunctl, "stop", SITE, check=False)
        client.shell(f"cat >>/etc/tunctl/sites/{SITE}.toml", input="\n" + site_text)

    def start(self):
        self.client.tunctl("--timeout", "30", "start", SITE)
        self.client.wait_for_ping(FAR)

    def resolv_conf(self):
        return self.client.shell("cat /etc/resolv.conf")

    def assert_soon(self, wanted):
        """A stop that meets a kill half way does not wait for tunctl-undo@."""
        end = time.monotonic() + 5
        while self.resolv_conf() != wanted and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(self.resolv_conf(), wanted)

    def assert_as_before(self):
        self.assert_soon(BEFORE)
        self.assertEqual(self.client.shell("stat -c %a /etc/resolv.conf").strip(), "640")
        left = self.client.shell("ls -A /var/lib/tunctl/.helper", check=False).stdout
        self.assertLessEqual(set(left.split()), {".lock"})

    def wait_until_set(self):
        self.client.wait_for("grep -x 'nameserver 10.9.0.1' /etc/resolv.conf")
        self.assertIn("search corp.example", self.resolv_conf())

    def call(self, packet, user, group):
        return self.client.run("setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups",
                               "python3", "/opt/call.py", packet, check=False)

    def as_engine(self, packet):
        owner = self.client.shell(f"stat -c %u /run/tunctl/{SITE}").strip()
        return self.call(packet, owner, "tunctl").stdout.strip()

    def test_1_the_file_itself_and_each_kind_of_end(self):
        client = self.client
        self.bring()
        self.start()
        self.wait_until_set()
        client.wait_for("! pgrep tunctl-helper")  # idle it does not run
        exposure = client.shell(f"systemd-analyze security --no-pager {UNIT} | tail -1")
        self.assertLessEqual(float(exposure.split(":")[1].split()[0]), 2.0, exposure)
        client.tunctl("stop", SITE)
        self.assert_as_before()

        self.start()
        self.wait_until_set()
        old = client.main_pid(UNIT)
        client.run("kill", "-9", str(old))
        client.wait_for(f'p=$(systemctl show --value -p MainPID {UNIT}); [ "$p" != 0 ] &&'
                        f' [ "$p" != {old} ] && ping -c 1 -W 1 {FAR}')
        self.wait_until_set()
        # And without a start that follows: at once, and while the unit waits for one.
        for wait in ("0", "0.5"):
            client.shell(f"systemctl kill --kill-who=main -s KILL {UNIT}; sleep {wait};"
                         f" systemctl stop {UNIT}")
            self.assert_as_before()
            self.start()
            self.wait_until_set()
        client.tunctl("stop", SITE)
        self.assert_as_before()

        # The machine goes down under it; systemd starts nothing any more then, and the socket's unit
        # gives back.
        self.start()
        self.wait_until_set()
        client.reboot()
        hosts.link(self.server, client)
        self.assert_as_before()

    def test_2_the_helper_killed_in_between(self):
        client = self.client
        self.bring()
        # It waits for its turn while somebody holds it.
        client.run("systemctl", "start", "tunctl-helper.socket")
        client.run("systemd-run", "--unit=holder", "flock", "/var/lib/tunctl/.helper/.lock", "sleep",
                   "60")
        client.tunctl("--timeout", "1", "start", SITE, check=False)
        client.wait_for("pgrep -x tunctl-helper")
        client.shell("pkill -KILL -x tunctl-helper")
        client.wait_for("pgrep -x tunctl-helper")  # the engine asks once more
        client.run("systemctl", "stop", "holder")
        self.wait_until_set()
        client.wait_for_ping(FAR)
        # Killed while it gives back: what it knows stands noted, and the next one does it.
        client.run("systemd-run", "--unit=holder2", "flock", "/var/lib/tunctl/.helper/.lock", "sleep",
                   "60")
        client.run("systemctl", "stop", "--no-block", UNIT)
        client.wait_for("pgrep -x tunctl-helper")
        client.shell("pkill -KILL -x tunctl-helper")
        client.run("systemctl", "stop", "holder2")
        client.wait_for(f"[ $(systemctl show --value -p ActiveState {UNIT}) = inactive ]")
        self.assert_as_before()

    def test_3_what_an_admin_writes_meanwhile_stays(self):
        self.bring()
        self.start()
        self.wait_until_set()
        self.client.shell("echo 'nameserver 192.0.2.99' >>/etc/resolv.conf")
        theirs = self.resolv_conf()
        self.client.tunctl("stop", SITE)
        self.assertEqual(self.resolv_conf(), theirs)
        self.client.write("/etc/resolv.conf", BEFORE)
        self.assert_as_before()

    def test_4_unasked_nothing_is_changed(self):
        for site_text in ("", '[dns]\nuse = "off"\n'):
            with self.subTest(site_text):
                self.bring(site_text)
                self.start()
                self.assertIn("not this tunnel's own interface, or its site's dns.use says no",
                              self.as_engine(SET.format(SITE)))
                self.assert_as_before()
                self.client.tunctl("stop", SITE)
                self.client.tunctl("remove", SITE)

    def test_5_strangers_and_garbage(self):
        self.bring()
        self.start()
        self.wait_until_set()
        stranger = self.call(SET.format(SITE), 65534, 65534)
        self.assertIn("PermissionError", stranger.stderr)
        # In the group by whatever way, and still no tunnel's user.
        self.assertEqual(self.call(SET.format(SITE), 65534, "tunctl").stdout.strip(), "not for you")
        self.assertIn("not lo: not this tunnel's own interface", self.as_engine(SET.format("lo")))
        for garbage in ("x", r"\n\n\n", "A" * 3000, r"\0\xff", r"set-name-servers nl\nserver 1\n",
                        r"set-name-servers ../../etc\nwhole-machine\nserver 6.6.6.6 0\n",
                        r"ask seen\n[Ask]\nSocket=/etc/passwd\n"):
            self.assertEqual(self.as_engine(garbage), "not a request")
        self.assertNotIn("6.6.6.6", self.resolv_conf())
        self.client.tunctl("stop", SITE)
        self.assert_as_before()
        self.assertEqual(self.client.shell("systemctl --failed --plain --no-legend"
                                           " list-units 'tunctl*'").strip(), "")

    def test_6_without_it_the_log_says_what_is_missing(self):
        client = self.client
        self.bring()
        away = "/etc/systemd/system/tunctl-helper.socket"
        client.shell(f"systemctl stop tunctl-helper.socket; mv {away} {away}.away;"
                     " systemctl daemon-reload")
        self.addCleanup(client.shell, f"mv {away}.away {away}; systemctl daemon-reload")
        self.start()
        client.wait_for(f"journalctl -u {UNIT} -o cat | grep 'this takes root, and tunctl-helper does"
                        " not answer.*systemctl start tunctl-helper.socket'")
        self.assertEqual(self.resolv_conf(), BEFORE)

    def test_7_a_challenge_at_systemds_agent(self):
        client = self.client
        self.bring(more='static-challenge "Your code" 0\n')
        client.tunctl("--timeout", "3", "start", SITE, check=False)
        question = client.wait_for("cat /run/systemd/ask-password/ask.tunctl-nl")
        self.assertIn("Message=tunctl nl: Your code\n", question)
        # Whoever answers elsewhere takes the question away from here.
        client.tunctl("credentials", SITE, input="000000\n")
        client.wait_for("! ls /run/systemd/ask-password/*tunctl*")
        client.tunctl("stop", SITE)
        client.tunctl("--timeout", "3", "start", SITE, check=False)
        client.wait_for("ls /run/systemd/ask-password/ask.tunctl-nl")
        client.shell("(sleep 2; echo " + SECRET + ") | script -qec 'systemd-tty-ask-password-agent"
                     " --query' /dev/null")
        client.wait_for_ping(FAR)
        client.wait_for("! ls /run/systemd/ask-password/*tunctl* && ! pgrep tunctl-helper")
        self.assertNotIn(SECRET, client.shell("journalctl -o cat -u 'tunctl*'"))
        client.wait_for_ping(FAR)
        self.wait_until_set()
        client.tunctl("stop", SITE)
        # A killed engine's question goes too; a killed helper's with the next call.
        client.tunctl("--timeout", "3", "start", SITE, check=False)
        client.wait_for("ls /run/systemd/ask-password/ask.tunctl-nl")
        client.shell("pkill -KILL -x tunctl-helper")
        self.as_engine(f"undo-name-servers {SITE}\\n")
        client.wait_for("! ls /run/systemd/ask-password/*tunctl*")
        client.tunctl("--timeout", "3", "restart", SITE, check=False)
        client.wait_for("ls /run/systemd/ask-password/ask.tunctl-nl")
        client.shell(f"systemctl kill --kill-who=main -s KILL {UNIT}; systemctl stop {UNIT}")
        client.wait_for("! ls /run/systemd/ask-password/*tunctl*")

    def test_8_resolvconf(self):
        client = self.client
        debs.unpack(client, "resolvconf")
        client.shell("mkdir -p /run/resolvconf/interface && resolvconf --enable-updates &&"
                     " ln -sf /run/resolvconf/resolv.conf /etc/resolv.conf &&"
                     " echo 'nameserver 192.0.2.53' | resolvconf -a eth1.admin")
        self.assertEqual(client.shell("grep ^nameserver /etc/resolv.conf"), "nameserver 192.0.2.53\n")
        before = self.resolv_conf()
        self.bring()
        for end in (f"systemctl stop {UNIT}",
                    f"systemctl kill --kill-who=main -s KILL {UNIT}; systemctl stop {UNIT}"):
            self.start()
            client.wait_for("grep -x 'nameserver 10.9.0.1' /etc/resolv.conf")
            client.shell(end)
            self.assert_soon(before)
        client.shell("mv /sbin/resolvconf /sbin/resolvconf.away; rm -f /etc/resolv.conf")
        client.write("/etc/resolv.conf", BEFORE)
        client.run("chmod", "640", "/etc/resolv.conf")

    def is_told_to_resolved(self, by):
        """Starts the site, and stops it; `by` is how the log says who told systemd-resolved."""
        client = self.client
        since = client.shell("date '+%F %T.%N'").strip()
        self.start()
        client.wait_for(f"resolvectl dns {SITE} | grep -w 10.9.0.1")
        self.assertIn("corp.example", client.run("resolvectl", "domain", SITE))
        said = client.shell(f"journalctl -u {UNIT} -o cat --since='{since}' | grep 'name servers'")
        self.assertEqual(said, f"{by}name servers of {SITE} told to systemd-resolved\n")
        self.assertEqual(self.resolv_conf(), BEFORE)
        client.tunctl("stop", SITE)
        self.assert_as_before()

    def test_9_systemd_resolved(self):
        client = self.client
        debs.unpack(client, "systemd-resolved", "libduktape207", "libpolkit-agent-1-0",
                    "libpolkit-gobject-1-0", "polkitd")
        client.shell("systemd-sysusers; systemctl daemon-reload; systemctl reload dbus;"
                     " systemctl start polkit; systemctl enable --now systemd-resolved")
        # It keeps links apart, so nobody need have asked for it.
        self.bring("", more="verb 3\n")
        # dbus-daemon does not let a user on that only systemd knows, so the engine cannot ask itself.
        self.is_told_to_resolved("by tunctl-helper: ")
        # dbus-broker does. Then the polkit rule decides: CAP_NET_ADMIN counts for nothing.
        debs.unpack(client, "dbus-broker")
        client.shell("systemctl daemon-reload; systemctl enable dbus-broker")
        client.reboot()
        hosts.link(self.server, client)
        self.is_told_to_resolved("")
        rule = "/etc/polkit-1/rules.d/50-tunctl-name-servers.rules"
        client.shell(f"mv {rule} /opt/; systemctl restart polkit")
        self.is_told_to_resolved("by tunctl-helper: ")
        client.shell(f"mv /opt/50-tunctl-name-servers.rules {rule}")


if __name__ == "__main__":
    skip.need("root", "tun", "boot", "program:openssl", "program:script")
    netns.end_on_signals()
    unittest.main()
