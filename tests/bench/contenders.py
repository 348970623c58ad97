# SPDX-License-Identifier: Apache-2.0
"""Who is measured: every pair of ends, and how its tunnel is raised between two namespaces.

    [a] 10.8.0.1 ==== tunnel ==== 10.8.0.2 [b]
"""

import contextlib
import dataclasses
import os
import pathlib
import socket
import subprocess
import tempfile

import keys
import pki
import traffic
from native_peer import NativePeer
from openvpn_peer import StockPeer
from processes import LoggedProgram

NEAR, FAR = "10.8.0.1", "10.8.0.2"
PORT = 2011
CIPHERS = {
    "none": "cipher none\nauth none\n",
    "cbc": "cipher AES-256-CBC\nauth SHA512\n",
    "gcm": "data-ciphers AES-256-GCM\ncipher AES-256-GCM\n",
}
TITLES = {"none": "cipher none, auth none (static key)", "cbc": "AES-256-CBC + SHA512 (static key)",
          "gcm": "AES-256-GCM (TLS)", "": "without a cipher to choose"}
# What a patient admin gets out of stock: jumbo packets inside, fragmented by IP outside.
TUNED = "tun-mtu 9000\nsndbuf 4194304\nrcvbuf 4194304\ntxqueuelen 1000\nfast-io\n"


@dataclasses.dataclass(frozen=True)
class Contender:
    cipher: str        # a key of CIPHERS; "" where there is none to choose
    name: str          # how the table calls it
    ends: tuple = ()   # "native", "openssl" (native, told to use nothing else), "stock", "tuned"

    @property
    def title(self):
        return f"{self.cipher}:{self.name}" if self.cipher else self.name


def contenders():
    found = [Contender("", "direct"), Contender("", "wireguard-go")]
    for cipher in CIPHERS:
        found += [Contender(cipher, "stock - stock", ("stock", "stock")),
                  Contender(cipher, "stock tuned - stock tuned", ("tuned", "tuned")),
                  Contender(cipher, "native - native", ("native", "native")),
                  Contender(cipher, "native - stock", ("native", "stock")),
                  Contender(cipher, "stock - native", ("stock", "native"))]
        if cipher != "none":
            found.append(Contender(cipher, "native - native, OpenSSL only", ("openssl", "openssl")))
    return found


@contextlib.contextmanager
def raised(contender, pair, wireguard):
    """The tunnel of a contender; gives the address of its far end. `wireguard`: its program."""
    if contender.name == "direct":
        yield pair.addresses4[1]
        return
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tct-"))
        os.chmod(folder, 0o755)
        if contender.ends:
            _raise_openvpn(stack, pair, contender, folder)
        else:
            _raise_wireguard(stack, pair, wireguard, folder)
        traffic.wait_for_ping(pair.a, FAR, 20)
        yield FAR


def config(contender, end, remote, server):
    """The config of one end; the two differ in role, addresses and remote alone."""
    here, there = (FAR, NEAR) if server else (NEAR, FAR)
    name = "server" if server else "client"
    lines = [f"dev tun3\nproto udp\nport {PORT}\nremote {remote}\nifconfig {here} {there}\n",
             CIPHERS[contender.cipher], TUNED if end == "tuned" else ""]
    if contender.cipher == "gcm":
        lines.append(f"tls-{name}\nca ca.crt\ncert {name}.crt\nkey {name}.key\n"
                     f"remote-cert-tls {'client' if server else 'server'}\n")
        if server:
            lines.append("dh none\n")
    else:
        lines.append("secret static.key\n")
    return "".join(lines)


def _raise_openvpn(stack, pair, contender, folder):
    if contender.cipher == "gcm":
        pki.make_pair(folder)
    else:
        keys.write_static_key(f"{folder}/static.key")
    ends = []
    for index, end in enumerate(contender.ends):
        text = config(contender, end, pair.addresses4[1 - index], server=index == 1)
        space, name = (pair.a, pair.b)[index], ("near", "far")[index]
        if end in ("native", "openssl"):
            options = ["--crypto-library", "openssl"] if end == "openssl" else []
            peer = NativePeer(space, folder, text, name, options=options)
        else:
            peer = StockPeer("2.6", space, folder, text, name)
        ends.append(stack.enter_context(peer))
    for peer in reversed(ends):
        peer.wait_connected(20)


# wireguard-go has no configuration of its own: it is told by a socket.

_IN_ROOT = """set -e
mount --make-rprivate /
if [ -n "$ROOT" ]; then
  mount --rbind /dev "$ROOT/dev"
  mount --bind "$FOLDER" "$ROOT/run"
  exec chroot "$ROOT" /usr/bin/wireguard-go --foreground wg0
fi
mount --bind "$FOLDER" /run
exec "$PROGRAM" --foreground wg0
"""


def _x25519(folder, name):
    """A new key pair as hex, private and public; the raw key is the end of either DER form."""
    pki.openssl(folder, "genpkey", "-algorithm", "X25519", "-outform", "DER", "-out", f"{name}.der")
    pki.openssl(folder, "pkey", "-inform", "DER", "-in", f"{name}.der", "-pubout", "-outform", "DER",
                "-out", f"{name}.pub")
    return tuple(pathlib.Path(folder, f"{name}.{kind}").read_bytes()[-32:].hex()
                 for kind in ("der", "pub"))


def _raise_wireguard(stack, pair, program, folder):
    pairs = [_x25519(folder, name) for name in ("near", "far")]
    for index, (space, address) in enumerate(((pair.a, NEAR), (pair.b, FAR))):
        run = pathlib.Path(folder, f"run{index}")
        run.mkdir()
        root = pathlib.Path(program)
        environment = {**os.environ, "FOLDER": str(run), "PROGRAM": str(program),
                       "ROOT": str(root) if root.is_dir() else ""}
        peer = stack.enter_context(LoggedProgram(
            "wireguard-go", space.start, ["unshare", "--mount", "sh", "-c", _IN_ROOT],
            f"{folder}/wireguard{index}.log", env=environment))
        path = run / "wireguard" / "wg0.sock"
        peer.wait_until(path.exists, "its socket")
        other = 1 - index
        _tell_wireguard(path, f"private_key={pairs[index][0]}\nlisten_port={PORT}\n"
                              f"public_key={pairs[other][1]}\n"
                              f"endpoint={pair.addresses4[other]}:{PORT}\n"
                              f"allowed_ip={(NEAR, FAR)[other]}/32\n")
        space.ip("addr", "add", f"{address}/24", "dev", "wg0")
        space.ip("link", "set", "wg0", "mtu", "1420", "up")


def _tell_wireguard(path, words):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talk:
        talk.connect(str(path))
        talk.sendall(f"set=1\n{words}\n".encode())
        answer = talk.recv(4096).decode()
    if "errno=0" not in answer:
        raise RuntimeError(f"wireguard-go: {answer.strip()}")


def wireguard_version(program):
    root = pathlib.Path(program)
    command = (["chroot", str(root), "/usr/bin/wireguard-go"] if root.is_dir() else [str(program)])
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    return (done.stdout or done.stderr).strip().splitlines()[0] if done.returncode == 0 else "unknown"
