#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stock OpenVPN takes every rendered config: it parses all options and ends (--show-gateway)."""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))

import skip  # noqa: E402


def version():
    text = subprocess.run(["openvpn", "--version"], capture_output=True, text=True).stdout
    return re.match(r"OpenVPN (\d\.\d)", text)[1]


def main():
    skip.need("program:openvpn")
    here = version()
    failures, taken = [], 0
    for config in sorted(HERE.glob("golden/*/*.conf")):
        asked_for = re.search(r"-(2\.\d)\.conf$", config.name)
        if config.name == "kept.conf" or "kept/near" in str(config) or (
                asked_for and asked_for[1] != here):
            continue
        with tempfile.TemporaryDirectory() as folder:
            # A far end's certificate and key are its own; they only have to be there.
            for name in re.findall(r"^(?:cert|key) (\S+)$", config.read_text(), re.M):
                pathlib.Path(folder, name).touch(mode=0o600)
            done = subprocess.run(["openvpn", "--config", str(config), "--show-gateway"],
                                  capture_output=True, text=True, cwd=folder, timeout=20)
        taken += 1
        if done.returncode != 0:
            failures.append(f"{config.relative_to(HERE)}: {done.stdout.strip().splitlines()[-1]}")
    print("\n".join(failures) or f"OpenVPN {here} takes all {taken} rendered configs")
    sys.exit(1 if failures or taken == 0 else 0)


if __name__ == "__main__":
    main()
