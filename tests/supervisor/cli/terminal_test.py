#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tunctl import` and `tunctl credentials` at a terminal: what is shown of what is typed, in what
state the terminal is left, and who can read what is stored."""

import os
import pathlib
import pty
import select
import signal
import stat
import sys
import tempfile
import termios
import time
import unittest

PROGRAM = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR", "build/dev"), "supervisor/tunctl").resolve()
LIMIT = 40  # seconds for one answer, on a busy machine
CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBgDCCASagAwIBAgIQe3ah5gCL0Wt53pt8VGhR6TAKBggqhkjOPQQDAjARMQ8w
DQYDVQQDDAZzaXRlLWEwIBcNMDAwMTAxMDAwMDAwWhgPOTk5OTEyMzEyMzU5NTla
MBExDzANBgNVBAMMBnNpdGUtYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKYr
RoXzuJm1uWo1pyMwSsymjnx4exq3sKDGTnFYdmWrk18zus652YmGTLx2D9vHw3bH
frV3lziF/OK3X3pUP4SjXjBcMAwGA1UdEwEB/wQCMAAwDgYDVR0PAQH/BAQDAgeA
MB0GA1UdJQQWMBQGCCsGAQUFBwMBBggrBgEFBQcDAjAdBgNVHQ4EFgQUU74o85Q5
a1DQJ/puPzeGO/eia8kwCgYIKoZIzj0EAwIDSAAwRQIhAOjULi0Yv8vKqnEV38P6
IynBWqwrf9+6puft2klliO5bAiAewg58QgJ62raIK8VoWQzY05hXsaGBxpMzbEDX
3bCwzA==
-----END CERTIFICATE-----"""
CONFIG = f"client\ndev tun\nremote vpn.example 1194\nauth-user-pass\n<ca>\n{CERTIFICATE}\n</ca>\n"


class Terminal:
    """A command on a terminal of its own."""

    def __init__(self, *words):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.umask(0)
            os.execv(PROGRAM, ["tunctl", *map(str, words)])
        self.text = ""

    def wait_for(self, text):
        end = time.monotonic() + LIMIT
        while text not in self.text:
            left = end - time.monotonic()
            assert left > 0, f"no {text!r} in {self.text!r}"
            if select.select([self.descriptor], [], [], left)[0]:
                self.text += os.read(self.descriptor, 4096).decode()

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def echoes(self):
        return bool(termios.tcgetattr(self.descriptor)[3] & termios.ECHO)

    def wait_until_quiet(self):
        end = time.monotonic() + LIMIT
        while self.echoes():
            assert time.monotonic() < end, "the terminal goes on to show what is typed"
            time.sleep(0.01)

    def wait(self):
        """The rest of its words, and how it ended: as waitstatus_to_exitcode."""
        while True:
            try:
                data = os.read(self.descriptor, 4096)
            except OSError:  # EIO: the other side is closed
                break
            if not data:
                break
            self.text += data.decode()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class AtATerminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tct-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.config = self.root / "nl.ovpn"
        self.config.write_text(CONFIG)
        self.stored = self.root / "etc/tunctl/keys/nl/auth-user-pass"

    def begin_import(self):
        terminal = Terminal("--root", self.root, "import", self.config)
        self.addCleanup(os.close, terminal.descriptor)
        terminal.wait_for("user name for nl: ")
        return terminal

    def test_the_password_is_not_shown(self):
        terminal = self.begin_import()
        self.assertTrue(terminal.echoes())
        terminal.type("joe\n")
        terminal.wait_for("password for nl: ")
        terminal.wait_until_quiet()
        terminal.type("Geheimnis\n")
        self.assertEqual(terminal.wait(), 0, terminal.text)
        self.assertIn("joe", terminal.text)
        self.assertNotIn("Geheimnis", terminal.text)
        self.assertEqual(self.stored.read_text(), "joe\nGeheimnis\n")
        self.assertEqual(stat.S_IMODE(self.stored.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.stored.parent.stat().st_mode), 0o700)

    def test_a_signal_leaves_the_terminal_as_it_was(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            terminal = self.begin_import()
            # One end is held open: else the terminal's state goes with its last user.
            held = os.open(os.readlink(f"/proc/{terminal.pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
            self.addCleanup(os.close, held)
            terminal.type("joe\n")
            terminal.wait_for("password for nl: ")
            terminal.wait_until_quiet()
            if number == signal.SIGINT:
                terminal.type("half\x03")
            else:
                os.kill(terminal.pid, number)
            _, status = os.waitpid(terminal.pid, 0)
            self.assertEqual(os.waitstatus_to_exitcode(status), -number)
            self.assertTrue(terminal.echoes())
            self.assertFalse(self.stored.exists())
            self.assertFalse((self.root / "etc/tunctl/sites/nl.toml").exists())

    def test_no_answer_is_for_later(self):
        terminal = self.begin_import()
        terminal.type("\x04")
        self.assertEqual(terminal.wait(), 0, terminal.text)
        self.assertIn("credentials nl", terminal.text)
        terminal = Terminal("--root", self.root, "credentials", "nl")
        self.addCleanup(os.close, terminal.descriptor)
        terminal.wait_for("user name for nl: ")
        terminal.type("joe\n")
        terminal.wait_for("password for nl: ")
        terminal.wait_until_quiet()
        terminal.type("word\n")
        self.assertEqual(terminal.wait(), 0, terminal.text)
        self.assertEqual(self.stored.read_text(), "joe\nword\n")


if __name__ == "__main__":
    unittest.main()
