#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cmake/place: what install writes, uninstall takes away, and nothing else is ever touched."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PLACE = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "place"


class Place(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tct-")
        self.addCleanup(folder.cleanup)
        self.prefix = pathlib.Path(folder.name, "prefix")
        self.stage = pathlib.Path(folder.name, "stage")
        self.prefix.mkdir()
        self.staged("bin/tunctl", "program 1")
        self.staged("share/man/man8/tunctl.8", "page")

    def staged(self, name, text):
        path = pathlib.Path(f"{self.stage}{self.prefix}", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if name.startswith("bin/") else 0o644)
        return path

    def place(self, verb, *words, **environment):
        return subprocess.run([PLACE, verb, self.prefix, *words], capture_output=True, text=True,
                              env={**os.environ, **environment})

    def install(self):
        done = self.place("install", self.stage)
        self.assertEqual(done.returncode, 0, done.stderr)

    def tree(self):
        return sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*"))

    def test_uninstall_leaves_what_was_before(self):
        (self.prefix / "share").mkdir()
        (self.prefix / "share" / "mine").write_text("mine")
        before = self.tree()
        self.install()
        self.assertIn("bin/tunctl", self.tree())
        self.assertTrue(os.access(self.prefix / "bin/tunctl", os.X_OK))
        self.assertEqual(self.place("uninstall").returncode, 0)
        self.assertEqual(self.tree(), before)

    def test_an_edited_unit_is_its_editors(self):
        unit = self.prefix / "lib/systemd/system/tunctl@.service"
        self.staged("lib/systemd/system/tunctl@.service", "ours 1")
        self.install()
        unit.write_text("edited")
        self.staged("lib/systemd/system/tunctl@.service", "ours 2")
        done = self.place("install", self.stage)
        self.assertIn(f"kept, for you changed it: {unit}", done.stderr)
        done = self.place("uninstall")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(str(unit), done.stderr)
        self.assertEqual(unit.read_text(), "edited")
        self.assertNotIn("bin/tunctl", self.tree())

    def test_a_unit_of_an_install_that_was_cut_short_is_ours(self):
        self.staged("lib/systemd/system/tunctl@.service", "ours 1")
        self.install()
        manifest = self.prefix / "share/tunctl/manifest"
        old = manifest.read_text()
        self.staged("lib/systemd/system/tunctl@.service", "ours 2")
        self.install()
        manifest.write_text(manifest.read_text() + old)  # as it is until all files are copied
        self.assertEqual(self.place("uninstall").returncode, 0)
        self.assertEqual(self.tree(), [])

    def test_a_new_version_replaces_and_removes_the_old_ones_files(self):
        self.install()
        running = open(self.prefix / "bin/tunctl")
        self.addCleanup(running.close)
        self.staged("bin/tunctl", "program 2")
        self.staged("share/man/man8/tunctl.8", "page").unlink()
        self.install()
        self.assertEqual((self.prefix / "bin/tunctl").read_text(), "program 2")
        self.assertEqual(running.read(), "program 1")
        self.assertNotIn("share/man/man8/tunctl.8", self.tree())
        self.place("uninstall")
        self.assertEqual(self.tree(), [])

    def test_a_foreign_program_is_refused_and_nothing_written(self):
        (self.prefix / "bin").mkdir()
        (self.prefix / "bin/tunctl").write_text("somebody else's")
        before = self.tree()
        done = self.place("install", self.stage)
        self.assertEqual(done.returncode, 1)
        self.assertIn("bin/tunctl is there already and is not ours", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(self.tree(), before)

    def machine_where_it_runs(self, unit):
        """A machine on which tunctl@a runs from `unit`, and tunctl@b from somewhere else."""
        root = self.prefix.parent / "machine"
        (root / "run/systemd/system").mkdir(parents=True)
        (root / "bin").mkdir()
        systemctl = root / "bin" / "systemctl"
        systemctl.write_text(f"""#!/bin/sh
case $1$5 in
  list-units*) printf 'tunctl@a.service loaded active\\ntunctl@b.service loaded active\\n' ;;
  showtunctl@a.service) echo {unit} ;;
  *) echo /etc/hostname ;;
esac
""")
        systemctl.chmod(0o755)
        for name, text in (("a/launch.json", "{}"), (".interfaces/tun3", "a\nname-servers link\n"),
                           (".interfaces/tun4", "gone\n"), (".state/a/notes", "")):
            path = root / "run/tunctl" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return root, {"TUNCTL_RUN_ROOT": str(root), "PATH": f"{root}/bin:{os.environ['PATH']}"}

    def test_a_tunnel_that_runs_keeps_its_unit_until_it_ends(self):
        unit = self.prefix / "lib/systemd/system/tunctl@.service"
        self.staged("lib/systemd/system/tunctl@.service",
                    "[Unit]\nDescription=x\n[Service]\nNotifyAccess=main\nExecStartPre=-+/x\n"
                    "ExecStart=/x\nExecStopPost=-/y\nExecReload=/x\nRestart=always\n"
                    "WatchdogSec=10s\n[Install]\nWantedBy=x\n")
        self.install()
        root, environment = self.machine_where_it_runs(unit)
        done = self.place("uninstall", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse(unit.exists())
        kept = root / "run/systemd/system/tunctl@a.service"
        self.assertIn(f"kept for it until then: {kept}", done.stderr)
        self.assertIn("systemctl disable --now tunctl@a.service", done.stderr)
        self.assertFalse((kept.parent / "tunctl@b.service").exists(), "it has its own unit still")
        lines = kept.read_text().splitlines()
        for line in ("NotifyAccess=main", "ExecStart=/x", "WatchdogSec=10s", "Restart=no",
                     "[Install]"):
            self.assertIn(line, lines)
        self.assertNotIn("Restart=always", lines)
        self.assertFalse([line for line in lines if line.startswith(("ExecStartPre", "ExecReload"))])
        self.assertEqual(sorted(os.listdir(root / "run/tunctl/.interfaces")), ["tun3"])
        # What the unit does in the end.
        steps = [line for line in lines if line.startswith("ExecStopPost=")]
        self.assertEqual(len(steps), 1)
        script = steps[0].removeprefix("ExecStopPost=-+/bin/sh -c '").removesuffix("'")
        subprocess.run(["/bin/sh", "-c", script], check=True)
        self.assertEqual(os.listdir(root / "run/tunctl"), ["a"], "that one is systemd's")
        self.assertFalse(kept.exists())

    def test_a_new_install_takes_the_kept_unit_away(self):
        unit = self.prefix / "lib/systemd/system/tunctl@.service"
        self.staged("lib/systemd/system/tunctl@.service", "[Service]\nRestart=always\n")
        self.install()
        root, environment = self.machine_where_it_runs(unit)
        self.assertEqual(self.place("uninstall", **environment).returncode, 0)
        theirs = root / "run/systemd/system/tunctl@c.service"
        theirs.write_text("[Service]\n")
        done = self.place("install", self.stage, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(theirs.parent), ["tunctl@c.service"])

    def test_uninstall_of_nothing_says_so(self):
        done = self.place("uninstall")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing of ours is installed", done.stderr)


if __name__ == "__main__":
    unittest.main()
