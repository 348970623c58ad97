# SPDX-License-Identifier: Apache-2.0
"""Debian packages that may be unpacked in a disposable host only: installed, they would change how
this machine resolves names."""

import os
import pathlib
import subprocess
import tempfile

import hosts

_CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"), "tunctl/debs")


def unpack(host, *packages):
    """Their files, in the host's root; nothing is configured, and no script of theirs runs."""
    for package in packages:
        with open(_fetched(package), "rb") as deb:
            unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", "/dev/stdin"], stdin=deb,
                                      capture_output=True, check=True)
        done = subprocess.run([hosts.TREE / "tests/tools/testhost", "run", host.name, "tar", "-x", "-C",
                               "/", "--keep-directory-symlink"], input=unpacked.stdout,
                              capture_output=True)
        if done.returncode != 0:
            raise hosts.HostError(f"{package}: {done.stderr.decode()}")


def _fetched(package):
    _CACHE.mkdir(parents=True, exist_ok=True)
    found = sorted(_CACHE.glob(f"{package}_*.deb"))
    if not found:
        with tempfile.TemporaryDirectory(dir=_CACHE) as folder:
            done = subprocess.run(["apt-get", "download", "-q", package], cwd=folder, text=True,
                                  capture_output=True)
            if done.returncode != 0:
                raise hosts.HostError(f"apt-get download {package}: {done.stderr}")
            for deb in pathlib.Path(folder).glob("*.deb"):
                deb.rename(_CACHE / deb.name)
        found = sorted(_CACHE.glob(f"{package}_*.deb"))
    return found[-1]
