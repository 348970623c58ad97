#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built command below a root of its own: the way to the other machine, rights of files, a
terminal, and what a kill leaves."""

import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time

BUILD = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR", "build/dev"))
PROGRAM = BUILD / "supervisor/tunctl"
KEY_BEGIN = "-----BEGIN OpenVPN Static key V1-----"


class Machine:
    def __init__(self, folder):
        self.root = pathlib.Path(folder)

    def command(self, *words):
        return [str(PROGRAM), "--root", str(self.root), *words]

    def run(self, *words, status=0, stdin=""):
        done = subprocess.run(self.command(*words), input=stdin, capture_output=True, text=True,
                              cwd=self.root, timeout=30)
        assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def files(self):
        return {str(path.relative_to(self.root)): path.stat().st_mode & 0o777
                for path in sorted(self.root.rglob("*")) if path.is_file()}


def goes_over_one_pipe(folder):
    near, far = Machine(folder / "near"), Machine(folder / "far")
    for machine in (near, far):
        machine.root.mkdir()
    near.run("new", "site-a", "--mode", "static-key", "--remote", "192.0.2.7", "--far-remote", "192.0.2.1")
    render = subprocess.Popen(near.command("render", "site-a", "--far-end", "--stdout"),
                              stdout=subprocess.PIPE)
    done = subprocess.run(far.command("import", "-", "--as", "site-a"), stdin=render.stdout,
                          capture_output=True, text=True)
    assert render.wait() == 0 and done.returncode == 0, done.stderr
    assert near.run("key", "fingerprint", "site-a") == far.run("key", "fingerprint", "site-a")
    assert near.run("check") == "site-a: ok, native fast path\n"
    assert far.run("check") == "site-a: ok, native fast path\n"
    assert near.files() == {"etc/tunctl/sites/site-a.toml": 0o644,
                            "etc/tunctl/keys/site-a/site-a.key": 0o600}
    assert far.files() == {"etc/tunctl/sites/site-a.toml": 0o644,
                           "etc/tunctl/ovpn/site-a.conf": 0o600}
    far.run("remove", "site-a")
    assert far.files() == {}


def shows_no_key_on_a_terminal(folder):
    machine = Machine(folder)
    machine.run("new", "site-a", "--mode", "static-key", "--remote", "192.0.2.7")
    shown = []

    def read(descriptor):
        shown.append(os.read(descriptor, 4096))
        return shown[-1]

    status = pty.spawn(machine.command("render", "site-a", "--stdout"), read,
                       lambda descriptor: b"")
    text = b"".join(shown).decode()
    assert os.waitstatus_to_exitcode(status) == 1 and "--show-secrets" in text, text
    assert KEY_BEGIN not in text


def takes_the_plain_files(folder):
    machine = Machine(folder)
    source = folder / "source"
    source.mkdir()
    machine.run("key", "gen", "other")
    key = next(folder.glob("etc/tunctl/keys/other/*")).read_text()
    os.close(os.open(source / "static.key", os.O_CREAT | os.O_WRONLY, 0o600))
    (source / "static.key").write_text(key)
    text = ("dev tun3\nifconfig 10.8.0.1 10.8.0.2\nsecret static.key\nport 2011\nproto udp\n")
    (source / "server.conf").write_text(text)
    (source / "clear.conf").write_text(text.replace("secret static.key", "cipher none\nauth none")
                                       .replace("tun3", "tun4").replace("2011", "2012")
                                       .replace("10.8.0", "10.8.1"))
    assert f"next: tunctl --root {folder} run server\n" in machine.run("import", "source/server.conf")
    machine.run("import", "source/clear.conf")
    assert (folder / "etc/tunctl/ovpn/server.conf").read_text() == text
    site = (folder / "etc/tunctl/sites/clear.toml").read_text()
    assert "acknowledge-cleartext = true" in site
    assert machine.run("check") == "clear: ok, native fast path\nserver: ok, native fast path\n"
    machine.run("render", "server", "--far-end", "--remote", "10.0.0.1")


def is_whole_or_not_there_after_a_kill(folder):
    machine = Machine(folder)
    for number in range(25):
        name = f"k{number}"
        words = ["new", name, "--mode", "static-key", "--remote", "192.0.2.7"]
        started = subprocess.Popen(machine.command(*words),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(number * 0.0008)
        started.send_signal(signal.SIGKILL)
        started.wait()
        if (folder / f"etc/tunctl/sites/{name}.toml").exists():
            machine.run("check", name)
        else:
            machine.run("check", name, status=4)
    for path, mode in machine.files().items():
        secret = "/keys/" in path and not path.endswith(".crt")
        assert not secret or mode == 0o600, (path, oct(mode))


KILLS = 20  # moments per verb; a few milliseconds hold a whole run


def ends_well_after_a_kill(folder):
    """The same command again ends what the killed one began, or says that nothing is left to do."""
    source = folder / "plain.conf"
    source.write_text("dev tun3\nsecret static.key\ncipher AES-256-CBC\nremote 192.0.2.7\n")
    Machine(folder).run("key", "gen", "other")
    (folder / "static.key").write_text(next(folder.glob("etc/tunctl/keys/other/*")).read_text())
    verbs = [(("import", "plain.conf", "--as", "k"), ("check", "k")),
             (("render", "k", "--to", str(folder / "out")), ("check", "k")),
             (("remove", "k"), ())]
    for number in range(KILLS):
        for words, then in verbs:
            machine = Machine(folder)
            killed = subprocess.Popen(machine.command(*words), stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, cwd=folder)
            time.sleep(number * 0.0008)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            done = subprocess.run(machine.command(*words), capture_output=True, text=True,
                                  cwd=folder)
            ended_before = "there is a site k already" in done.stderr or done.returncode == 4
            assert done.returncode == 0 or ended_before, (words, number, done.stderr)
            if then:
                machine.run(*then)
        left = [path for path in machine.files() if "/k/" in path or "/k." in path and not path.startswith("out/")]
        assert not left, (number, left)


def reads_what_is_no_config(folder):
    """None of these is a config, and each is told in a moment and a few lines."""
    machine = Machine(folder)
    machine.run("key", "gen", "other")
    key = next(folder.glob("etc/tunctl/keys/other/*")).read_text()
    many = 1 << 18  # as many lines as show whether the time grows faster than they do
    texts = {"a key": key, "half a key": key[:300], "many keys": (key * 2000)[:many - 1],
             "hex": ("0123456789abcdef\n" * 70000)[:many], "short lines": ("ab\n" * 87000),
             "one line": "a" * (many - 1), "too large": "a" * (10 * many),
             "NUL bytes": "\0" * 1000, "nearly remote": "remote-xyz\n" * 23000,
             "blocks": "<a>\n</a>\n" * 27000, "a block without end": "<a>\n" * 50000,
             "conflicts": "<<<<<<< x\n" * 25000, "nothing": ""}
    for what, text in texts.items():
        (folder / "static.key").write_text(text)
        begin = time.monotonic()
        done = subprocess.run(machine.command("import", "static.key", "--as", "x"), timeout=60,
                              capture_output=True, text=True, cwd=folder)
        assert done.returncode in (1, 5), (what, done.returncode, done.stderr[:400])
        assert 0 < len(done.stderr.splitlines()) <= 22, (what, done.stderr[:400])
        print(f"   {what}: {time.monotonic() - begin:.1f} s")


def completes_in_bash(folder):
    machine = Machine(folder)
    machine.run("new", "site-a", "--remote", "192.0.2.7")
    script = f"""
PATH={PROGRAM.parent}:$PATH
source <(tunctl completion bash)
COMP_WORDS=(tunctl --root {folder} check s) COMP_CWORD=4
_tunctl && echo "${{COMPREPLY[@]}}"
COMP_WORDS=(tunctl rend) COMP_CWORD=1
_tunctl && echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stdout == "site-a\nrender\n", (done.stdout, done.stderr)


def main():
    failures = 0
    for test in (goes_over_one_pipe, shows_no_key_on_a_terminal, takes_the_plain_files,
                 is_whole_or_not_there_after_a_kill, ends_well_after_a_kill,
                 reads_what_is_no_config, completes_in_bash):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(pathlib.Path(folder))
                print(f"ok {test.__name__}")
            except AssertionError as error:
                failures += 1
                print(f"FAILED {test.__name__}: {error}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
