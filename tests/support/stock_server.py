# SPDX-License-Identifier: Apache-2.0
"""A stock OpenVPN server with an authority of its own on a disposable host, and the beginning of what
it hands out to its clients.

    [server] 10.0.0.1 ==== veth ==== 10.0.0.2 [client]      10.9.0.1 <-> 10.9.0.2
"""

import contextlib
import pathlib
import tempfile

import pki
import site_hosts

FAR, HERE = "10.9.0.1", "10.9.0.2"  # in the tunnel, as the client sees them
SERVER = """dev tun4
proto udp
port 1194
server 10.9.0.0 255.255.255.0
topology subnet
dh none
ca ca.crt
cert server.crt
key server.key
keepalive 1 5
"""
CLIENT = """client
dev tun
proto udp
remote 10.0.0.1 1194
remote-cert-tls server
"""
FOLDER = "/tmp/server"


def unit_of(site):
    return f"tunctl@{site}.service"


@contextlib.contextmanager
def authority():
    """A folder with ca.crt, and server.* and client.* that it signed."""
    with tempfile.TemporaryDirectory(prefix="tct-") as name:
        folder = pathlib.Path(name)
        pki.make_pair(folder)
        yield folder


def block(folder, directive, name):
    """A file as a client's config has it inside."""
    return f"<{directive}>\n{(folder / name).read_text().strip()}\n</{directive}>\n"


def put(host, folder, config, more=()):
    """The server's config and keys on its host, and the files of `more`."""
    for name in ("ca.crt", "server.crt", "server.key", *more):
        host.write(f"{FOLDER}/{name}", (folder / name).read_text())
    host.write(f"{FOLDER}/server.conf", config)


def start(host):
    # The one before may have ended only just now, and systemd not have forgotten it yet.
    host.wait_for("systemctl reset-failed stock 2>/dev/null; systemd-run --collect --unit=stock"
                  f" openvpn --cd {FOLDER} --config server.conf")


def two_hosts(test_class):
    """The hosts of a test class, server first, which end with it."""
    return site_hosts.hosts_of(test_class)


def start_asking(host, config, verify, client):
    """Starts a server whose `config` asks FOLDER/verify.sh about logins; its client's config."""
    with authority() as folder:
        put(host, folder, config)
        text = client + block(folder, "ca", "ca.crt")
    host.write(f"{FOLDER}/verify.sh", verify)
    host.run("chmod", "755", f"{FOLDER}/verify.sh")
    start(host)
    return text
