# SPDX-License-Identifier: Apache-2.0
"""Key files as OpenVPN writes them."""

import os


def static_key_text(material=None):
    """A static key file of 2048 bits; `material` is its 256 bytes, random unless given."""
    material = os.urandom(256) if material is None else material
    assert len(material) == 256
    lines = [material[at:at + 16].hex() for at in range(0, 256, 16)]
    return "\n".join(["#", "# 2048 bit OpenVPN static key", "#",
                      "-----BEGIN OpenVPN Static key V1-----", *lines,
                      "-----END OpenVPN Static key V1-----", ""])


def write_static_key(path, material=None):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(static_key_text(material))
