#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nothing of an imported config is lost on its way to an engine.

    lossless.py [--only TEXT] [--show]

OpenVPN prints, with `verb 4`, every parameter it has read. That dump of a config as somebody handed
it out, and of what `tunctl prepare` writes for the unit, may differ in the declared overlay only:
what unit_overlay.cc leaves out, the interface's name, and places of files whose bytes are the same.
Run over tests/corpus_own and, where TUNCTL_CORPUS names it, over all client files of the corpus.

Everything happens in a copy of this machine that only the test sees (an overlay of /, no network):
configs are imported as they would be here, with absolute paths and all. openvpn is stopped before it
does anything, by closing the pipe that it prints into.
"""

import argparse
import collections
import ctypes
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import keys  # noqa: E402
import pki  # noqa: E402
import skip  # noqa: E402

BUILD = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR", HERE.parents[1] / "build" / "dev"))
BIN = "/usr/local/sbin"
_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _CLONE_NEWNET = 0x00020000, 0x40000000

# Parameters that a unit has otherwise, and the directive that must stand in the original for it.
LEFT_OUT = {
    "cd_dir": "cd", "chroot_dir": "chroot", "daemon": "daemon", "groupname": "group", "log": "log",
    "machine_readable_output": "machine-readable-output", "nice": "nice", "username": "user",
    "writepid": "writepid", "suppress_timestamps": "log",
}
# The stock guard's own arguments: what is missing for a tunnel without pings.
BY_THE_GUARD = {"persist_tun"}
# What OpenVPN would ask a terminal for; a unit has a file.
ASKED = {"auth_user_pass_file", "key_pass_file"}
LOGIN = "user\npassword\n"
# Directives whose first word names a file, and what stands in for one that is not there.
KEY_FILES = {"secret", "tls-auth", "tls-crypt"}
TEXT_FILES = {"ca": "ca.crt", "cert": "client.crt", "key": "client.key", "extra-certs": "ca.crt",
              "dh": "ca.crt", "pkcs12": "ca.crt", "tls-crypt-v2": "v2-client.key", "crl-verify": "ca.crt"}
LOGINS = {"auth-user-pass", "askpass", "http-proxy-user-pass"}
SCRIPTS = {"up", "down", "route-up", "route-pre-down", "ipchange", "tls-verify", "plugin",
           "auth-user-pass-verify"}


class Case:
    def __init__(self, title, text):
        self.title, self.text = title, text
        self.verdict, self.reason = "", ""


def cases():
    """(title, bytes) of every config, read before the root changes."""
    corpus = os.environ.get("TUNCTL_CORPUS")
    if corpus:
        for line in pathlib.Path(corpus, "INDEX.tsv").read_text().splitlines()[1:]:
            name, _, role = line.split("\t")[:3]
            if role == "client":
                yield Case(f"corpus {name}", pathlib.Path(corpus, name).read_bytes())
    for path in sorted((HERE.parent / "corpus_own").glob("*.conf")):
        yield Case(f"own {path.name}", path.read_bytes())


def checked(value, what):
    if value != 0:
        raise OSError(ctypes.get_errno(), what)


def change_root(place):
    """From here on this process sees a machine of its own. `place`: an empty folder."""
    engine, tool = BUILD / "fastpath" / "tunctl-fastpath", BUILD / "supervisor" / "tunctl"
    programs = {path.name: path.read_bytes() for path in (engine, tool)}
    checked(_libc.unshare(_CLONE_NEWNS | _CLONE_NEWNET), "unshare")
    run = lambda *words: subprocess.run(words, check=True)
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "tmpfs", place)
    for folder in ("upper", "work", "root"):
        os.mkdir(f"{place}/{folder}")
    root = f"{place}/root"
    run("mount", "-t", "overlay", "overlay", "-o",
        f"lowerdir=/,upperdir={place}/upper,workdir={place}/work", root)
    run("mount", "--rbind", "/dev", f"{root}/dev")
    run("mount", "-t", "proc", "proc", f"{root}/proc")
    for folder in ("run", "tmp"):
        run("mount", "-t", "tmpfs", "tmpfs", f"{root}/{folder}")
    os.chroot(root)
    os.chdir("/")
    for name, data in programs.items():
        target = pathlib.Path(BIN, name)
        target.write_bytes(data)
        target.chmod(0o755)


def lines_of(text):
    """The words of each line outside of blocks, as far as this test has to understand them."""
    block = None
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        line = line.strip().lstrip("\ufeff")
        if block:
            block = None if line == f"</{block}>" else block
            continue
        found = re.fullmatch(r"<([\w-]+)>", line)
        if found:
            block = found[1] if found[1] != "connection" else None
            continue
        if not line or line[0] in "#;<":
            continue
        try:
            words = shlex.split(line, comments=False)
        except ValueError:
            continue
        if words:
            yield words[0].removeprefix("--"), words[1:]


def named_files(text):
    """(directive, path, its further words) of the files a config names."""
    for name, words in lines_of(text):
        if name in ("http-proxy", "socks-proxy") and len(words) > 2:
            yield "http-proxy-user-pass", words[2], []
        elif words and words[0] not in ("[inline]", "stdin"):
            yield name, words[0], words[1:]


def stand_in(folder, directive, path, more, samples):
    if directive in SCRIPTS:
        path = shlex.split(path)[0] if path.strip() else path
    target = pathlib.Path(folder, path)
    known = directive in KEY_FILES | LOGINS | SCRIPTS or directive in TEXT_FILES
    if not known or target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if directive == "crl-verify" and more[:1] == ["dir"]:
        target.mkdir()
    elif directive in SCRIPTS:
        target.write_text("#!/bin/sh\n")
        target.chmod(0o755)
    else:
        source = "login" if directive in LOGINS else TEXT_FILES.get(directive, "static.key")
        target.write_bytes(samples[source])
        target.chmod(0o600)


def dump(config, folder, more=()):
    """The parameters that openvpn has read: {(section, name): [values]}, or the error it ended with.
    It is killed as soon as they are out."""
    command = ["openvpn", "--config", config, *more, "--verb", "4", "--log", "/dev/stdout"]
    child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
    parameters, section, said, begun = collections.defaultdict(list), "", [], False
    for line in child.stdout:
        text = re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (us=\d+ )?", "",
                      line.decode("utf-8", "surrogateescape").rstrip("\n"))
        if "Current Parameter Settings" in text:
            begun = True
        elif begun and re.match(r"OpenVPN 2\.", text):
            break
        elif begun and " = " in text:
            name, _, value = text.strip().partition(" = ")
            parameters[section, name].append(value)
        elif begun:
            section = text.strip()
        else:
            said.append(text)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    if not begun:
        said = [text for text in said if "rror" in text] or said
        return None, (said[-1] if said else f"ended with {child.returncode}")
    return parameters, ""


def same_file(before, after, folder, runtime):
    """Whether two words name files of the same bytes; what is written may lie elsewhere."""
    strip = lambda value: value.strip().strip("'")
    old, new = pathlib.Path(folder, strip(before)), pathlib.Path(runtime, strip(after))
    if old.is_file() and new.is_file():
        return old.read_bytes() == new.read_bytes()
    return old == new


def holds_login(value, runtime):
    path = pathlib.Path(runtime, value[0].strip("'")) if len(value) == 1 else None
    return path is not None and path.is_file() and path.read_text() == LOGIN


FILES = re.compile(r"(_file|_script|_dir|_persist|ipchange|tls_verify|writepid|plugin.*|auth_file)$")


def undeclared(before, after, words, case_files, site, guarded):
    """The differences that nobody declared, as text."""
    folder, runtime = case_files
    has = {name for name, _ in words}
    for key in sorted(set(before) | set(after)):
        old, new = before.get(key, []), after.get(key, [])
        name = key[1]
        if old == new or name == "config":
            continue
        if name in LEFT_OUT and LEFT_OUT[name] in has | ({"log"} if "log-append" in has else set()):
            continue
        if name.startswith("management_") and any(each.startswith("management") for each in has):
            continue
        if name in BY_THE_GUARD and guarded:
            continue
        if name == "dev" and old[0] in ("'tun'", "'tap'") and new == [f"'{site}'"]:
            continue
        if name == "dev_type" and old == ["'[UNDEF]'"] and new == before[key[0], "dev"]:
            continue
        if name in ASKED and old == ["'stdin'"] and holds_login(new, runtime):
            continue
        if FILES.search(name) and len(old) == len(new) and all(
                same_file(x, y, folder, runtime) for x, y in zip(old, new)):
            continue
        yield f"{key[0]} {name}: {old} became {new}".strip()


def prepare(site):
    return subprocess.run([f"{BIN}/tunctl", "prepare", site], capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL)


def give_logins(site):
    """One login for everything that asks: the server, perhaps a proxy as well."""
    for count in (1, 2):
        done = subprocess.run([f"{BIN}/tunctl", "-q", "credentials", site, "--credentials", "-"],
                              input=count * LOGIN, text=True, capture_output=True)
        if done.returncode == 0:
            return
    raise AssertionError(f"{site}: {done.stderr}")


def import_and_prepare(case, folder, site):
    """The folder of the unit's config and the launch plan, or why there is none."""
    name = f"{site}.ovpn"
    done = subprocess.run([f"{BIN}/tunctl", "import", name, "--as", site, "--allow-scripts"],
                          cwd=folder, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        return None, None, done.stderr.strip().splitlines()[0]
    runtime = pathlib.Path("/run/tunctl", site)
    runtime.mkdir(parents=True)
    done = prepare(site)
    if "nobody has given" in done.stderr:
        give_logins(site)
        done = prepare(site)
    if done.returncode != 0:
        raise AssertionError(f"{case.title}: imported, and then: {done.stderr.strip()}")
    return runtime, json.loads((runtime / "launch.json").read_text()), ""


def judge(case, number, samples):
    site = f"t{number}"
    folder = pathlib.Path("/srv/lossless", site)
    folder.mkdir(parents=True)
    (folder / f"{site}.ovpn").write_bytes(case.text)
    words = list(lines_of(case.text))
    # Relative names begin where the config says.
    here = pathlib.Path(folder, next((more[0] for name, more in words if name == "cd" and more), ""))
    here.mkdir(parents=True, exist_ok=True)
    for directive, path, more in named_files(case.text):
        try:
            stand_in(here, directive, path, more, samples)
        except OSError:
            pass  # a name that no file can have; both will say so
    runtime, plan, refusal = import_and_prepare(case, folder, site)
    if refusal:
        case.verdict, case.reason = "refused", refusal.partition("warning: ")[2] or refusal
        return []
    case.verdict = "native" if plan["engine"] == "fastpath" else "stock"
    case.reason = plan.get("reason", "")
    before, refused = dump(f"{site}.ovpn", folder)
    if before is None:
        case.verdict += ", which OpenVPN 2.6 refuses"
        case.reason = refused
        # Then only the native engine can have been chosen: stock would not have run it.
        return [] if plan["engine"] == "fastpath" else [f"stock is to run what it refuses: {refused}"]
    guarded = plan["engine"] != "fastpath"
    more = [word for word in plan["argv"][2:] + plan["stock-2.6"]] if guarded else []
    after, refused = dump(f"{site}.conf", runtime, more)
    if after is None:
        return [f"what the unit has is refused by OpenVPN: {refused}"]
    return list(undeclared(before, after, words, (here, runtime), site, guarded))


def table(all_cases):
    groups = collections.Counter((case.verdict, re.sub(r"^\S+:\d+:\d+: ", "", case.reason))
                                 for case in all_cases)
    for verdict, count in collections.Counter(case.verdict for case in all_cases).most_common():
        print(f"{count:4d}  {verdict}")
        for (of, reason), each in groups.most_common():
            if of == verdict and reason:
                print(f"      {each:4d}  {reason[:100]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true", help="say of every config what became of it")
    options = parser.parse_args()
    sys.stdout.reconfigure(errors="replace")  # names in other character sets
    skip.need("root", "netns", "overlay", "program:openvpn", "program:openssl")
    wanted = [case for case in cases() if options.only in case.title]
    with tempfile.TemporaryDirectory(prefix="tct-") as folder:
        pki.make_pair(folder)
        pki.wrap_keys(folder)
        keys.write_static_key(f"{folder}/static.key")
        samples = {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir()}
    samples["login"] = LOGIN.encode()
    place = tempfile.mkdtemp(prefix="tct-lossless-")
    child = os.fork()  # the folder is removed by one who still sees it
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os.rmdir(place)
        sys.exit(status)
    change_root(place)
    failed = 0
    for number, case in enumerate(wanted):
        differences = judge(case, number, samples)
        failed += bool(differences)
        if options.show or differences:
            print(f"{case.title}: {case.verdict} {case.reason}".rstrip())
        for difference in differences:
            print(f"    {difference}", flush=True)
    for source in ("corpus", "own"):
        of_source = [case for case in wanted if case.title.startswith(source)]
        if of_source:
            print(f"\n{len(of_source)} configs, {source}:")
            table(of_source)
    print(f"{len(wanted) - failed} of {len(wanted)} lose nothing")
    sys.stdout.flush()
    os._exit(1 if failed or not wanted else 0)


if __name__ == "__main__":
    main()
