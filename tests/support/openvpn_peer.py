# SPDX-License-Identifier: Apache-2.0
"""Stock OpenVPN of three generations as the other end of a tunnel.

2.6 is this machine's own; 2.5 and 2.7 live in roots of their own (tests/tools/fetch-peers) and run
there with this machine's /dev and the test's folder mounted in, in a mount namespace that goes
away with the process.
"""

import functools
import os
import pathlib
import subprocess

from processes import LoggedProgram

VERSIONS = ("2.5", "2.6", "2.7")
CONNECTED = "Initialization Sequence Completed"
_FETCH = pathlib.Path(__file__).parents[1] / "tools" / "fetch-peers"
_IN_ROOT = """set -e
mount --make-rprivate /
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
mount --bind "$FOLDER" "$ROOT/mnt"
exec chroot "$ROOT" /usr/sbin/openvpn "$@"
"""


@functools.cache
def root_of(version):
    """The folder of a generation's root, fetched when it is not there; "" for the machine's own."""
    done = subprocess.run([_FETCH, version], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def opt_ins(version, text):
    """The options a generation wants on top before it does what the config says."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    cipher = next((words[1] for words in lines if words[0] == "cipher"), "BF-CBC").upper()
    has_secret = any(words[0] in ("secret", "<secret>") for words in lines)
    options = []
    # OpenSSL 3 keeps Blowfish in its legacy provider; 2.5 comes with OpenSSL 1.1.
    if version != "2.5" and has_secret and cipher.startswith(("BF-", "DES-CBC")):
        options += ["--providers", "legacy", "default"]
    if version == "2.7":
        options += ["--allow-deprecated-insecure-static-crypto"]
    return options


class StockPeer(LoggedProgram):
    """openvpn with a config file of the given text, run in `folder` (its relative paths)."""

    def __init__(self, version, namespace, folder, text, name="stock"):
        self.version = version
        pathlib.Path(folder, f"{name}.conf").write_text(text)
        root = root_of(version)
        if root:
            environment = {**os.environ, "ROOT": root, "FOLDER": str(folder)}
            command = ["unshare", "--mount", "sh", "-c", _IN_ROOT, "openvpn", "--cd", "/mnt"]
        else:
            environment = None
            command = ["/usr/sbin/openvpn", "--cd", str(folder)]
        super().__init__(f"openvpn {version}", namespace.start,
                         [*command, "--config", f"{name}.conf", "--verb", "4",
                          *opt_ins(version, text)],
                         f"{folder}/{name}.log", env=environment)

    def wait_started(self, timeout=10.0):
        """Interface and socket stand. Stock says CONNECTED only with the peer's first packet."""
        self.wait_for_line("link remote:", CONNECTED, timeout=timeout)

    def wait_connected(self, timeout=10.0):
        self.wait_for_line(CONNECTED, timeout=timeout)
