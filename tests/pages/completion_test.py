#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tunctl completion bash|zsh|fish` in the shell it is for: loads without a word, completes a verb, a
site's name and a unit's, with the @ in it.

    completion_test.py bash|zsh|fish
"""

import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import skip  # noqa: E402

PROGRAM = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR", "build/dev"), "supervisor/tunctl").resolve()
LIMIT = 40  # seconds for one answer, on a busy machine


def environment(folder):
    return {**os.environ, "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}", "HOME": str(folder),
            "TERM": "dumb", "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}


class Terminal:
    """A shell on a terminal of its own, as somebody types into it."""

    def __init__(self, words, env, folder):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, env)
        self.text = ""

    def type(self, text):
        self.text = ""
        os.write(self.descriptor, text.encode())

    def wait_for(self, text):
        end = time.monotonic() + LIMIT
        while text not in self.text:
            left = end - time.monotonic()
            assert left > 0, f"no {text!r} in {self.text!r}"
            if select.select([self.descriptor], [], [], left)[0]:
                self.text += os.read(self.descriptor, 4096).decode(errors="replace")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.descriptor)


def check_bash(folder, script):
    shell = Terminal(["bash", "--norc", "-i"], environment(folder), folder)
    try:
        shell.type(f"PS1='> '; bind 'set bell-style none'; source {script} && echo lo''aded\n")
        shell.wait_for("loaded")
        shell.type("tunctl rend\t")
        shell.wait_for("render ")
        shell.type(f"\x15tunctl --root {folder} check site\t")
        shell.wait_for("site-a ")
        # Once the part before the @ alone, and once some of what is behind it.
        for typed in ("openvpn-cl", "openvpn-client@", "openvpn-client@of"):
            shell.type(f"\x15tunctl --root {folder} adopt {typed}\t")
            shell.wait_for("office ")
            shell.type("\x01echo 'got' \x05.\n")
            shell.wait_for(f"got tunctl --root {folder} adopt openvpn-client@office .")
    finally:
        shell.close()


def check_zsh(folder, script):
    shell = Terminal(["zsh", "-f", "-i"], environment(folder), folder)
    try:
        # The word is put together by the shell, so that its echo is not taken for the answer.
        shell.type("PS1='> '; unsetopt zle_bracketed_paste; autoload -Uz compinit && compinit -u -D "
                   f"&& source {script} && echo lo''aded\n")
        shell.wait_for("loaded")
        assert "_tunctl:" not in shell.text and "compdef:" not in shell.text, shell.text
        shell.type("tunctl rend\t")
        shell.wait_for("render ")
        shell.type(f"\x15tunctl --root {folder} check site\t")
        shell.wait_for("site-a ")
        shell.type(f"\x15tunctl --root {folder} adopt openvpn-client@\t")
        shell.wait_for("@office ")
    finally:
        shell.close()


def check_fish(folder, script):
    lines = [f"source {script}; or exit 9", "complete -C 'tunctl rend'",
             f"complete -C 'tunctl --root {folder} check site'",
             f"complete -C 'tunctl --root {folder} adopt openvpn-client@'"]
    done = subprocess.run(["fish", "--no-config", "-c", "\n".join(lines)], text=True, timeout=LIMIT,
                          capture_output=True, env=environment(folder), check=False)
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert done.returncode == 0 and not done.stderr, (done.returncode, done.stderr)
    assert words == ["render", "site-a", "openvpn-client@office"], done.stdout


def main():
    shell = sys.argv[1]
    skip.need(f"program:{shell}")
    with tempfile.TemporaryDirectory(prefix="tct-") as name:
        folder = pathlib.Path(name)
        for verb in (["new", "site-a", "--remote", "192.0.2.7"], ["completion", shell]):
            done = subprocess.run([PROGRAM, "--root", folder, *verb], check=True, text=True,
                                  capture_output=True)
        script = folder / "script"
        script.write_text(done.stdout)
        config = folder / "etc/openvpn/client/office.conf"
        config.parent.mkdir(parents=True)
        config.touch()
        {"bash": check_bash, "zsh": check_zsh, "fish": check_fish}[shell](folder, script)
    print(f"ok {shell}: a verb, a site and a unit are completed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
