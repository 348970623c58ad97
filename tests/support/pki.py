# SPDX-License-Identifier: Apache-2.0
"""A certificate authority of a test's own, made by openssl while the test runs: EC keys, valid for
a day from now. Nothing of it outlives the test's folder."""

import pathlib
import subprocess

_EXTENSIONS = """basicConstraints = CA:FALSE
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
keyUsage = digitalSignature, keyAgreement
extendedKeyUsage = {usage}
"""


def openssl(folder, *words):
    done = subprocess.run(["openssl", *words], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"openssl {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def _new_key(folder, name):
    openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", f"{name}.key")
    pathlib.Path(folder, f"{name}.key").chmod(0o600)


def make_authority(folder, name="ca"):
    _new_key(folder, name)
    openssl(folder, "req", "-x509", "-new", "-key", f"{name}.key", "-sha256", "-days", "1",
            "-subj", "/CN=Test CA", "-out", f"{name}.crt")


def issue(folder, name, usage, authority="ca"):
    """NAME.key and NAME.crt. `usage`: serverAuth or clientAuth."""
    folder = pathlib.Path(folder)
    _new_key(folder, name)
    openssl(folder, "req", "-new", "-key", f"{name}.key", "-subj", f"/CN={name}", "-out",
            f"{name}.csr")
    (folder / f"{name}.ext").write_text(_EXTENSIONS.format(usage=usage))
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.crt", "-CAkey",
            f"{authority}.key", "-CAcreateserial", "-days", "1", "-sha256", "-extfile",
            f"{name}.ext", "-out", f"{name}.crt")


def make_pair(folder):
    """ca.crt, and server.* and client.* that it signed."""
    make_authority(folder)
    issue(folder, "server", "serverAuth")
    issue(folder, "client", "clientAuth")


def wrap_keys(folder):
    """ta.key for tls-auth and tls-crypt; v2-server.key and v2-client.key for tls-crypt-v2."""
    folder = pathlib.Path(folder)
    run = lambda *words: subprocess.run(["openvpn", *words], cwd=folder, check=True,
                                        capture_output=True)
    run("--genkey", "secret", "ta.key")
    run("--genkey", "tls-crypt-v2-server", "v2-server.key")
    run("--tls-crypt-v2", "v2-server.key", "--genkey", "tls-crypt-v2-client", "v2-client.key")
    for key in ("ta.key", "v2-server.key", "v2-client.key"):
        (folder / key).chmod(0o600)
