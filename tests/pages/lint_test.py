#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manual pages are clean mdoc, their cross references to each other lead somewhere, and a list
of TOML stands in them as a site file has it."""

import pathlib
import re
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests/support"))

import skip  # noqa: E402

# Pages of other packages that ours may point to.
FOREIGN = {"openvpn(8)", "taskset(1)", "sd_notify(3)", "sd_listen_fds(3)", "systemctl(1)",
           "journalctl(1)", "systemd-tty-ask-password-agent(1)", "systemd.service(5)",
           "systemd.exec(5)", "systemd.unit(5)", "systemd-analyze(1)",
           "ssh(1)", "ip(8)", "tcpdump(8)", "iperf3(1)"}


def shown_lists(page):
    """A list in other brackets, or with a typographer's quotes, is none that could be copied."""
    text = subprocess.run(["mandoc", "-T", "utf8", str(page)], capture_output=True, text=True).stdout
    plain = re.sub(r".\x08", "", text)
    return re.findall(r"\(\[\S*|\[[\u201c\u2018]\S*", plain)


def main():
    skip.need("program:mandoc")
    pages = sorted((TREE / "man").glob("*.[0-9]"))
    failures = []
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *map(str, pages)],
                          capture_output=True, text=True)
    failures += (done.stdout + done.stderr).splitlines()
    known = {f"{page.stem}({page.suffix[1:]})" for page in pages} | FOREIGN
    for page in pages:
        failures += [f"{page.name}: shows {text}" for text in shown_lists(page)]
        for name, section in re.findall(r"^\.Xr (\S+) (\d)", page.read_text(), re.M):
            if f"{name}({section})" not in known:
                failures.append(f"{page.name}: refers to {name}({section}), which is not known")
    if len(pages) < 4:
        failures.append(f"only {len(pages)} pages in man/")
    print("\n".join(failures) or f"{len(pages)} pages are clean")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
