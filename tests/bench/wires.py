# SPDX-License-Identifier: Apache-2.0
"""What lies between the two ends. A veth pair hands a whole train of datagrams over as one, which
no other wire does; the other two are made of it by taking that away.

    veth      as it is: trains cross whole
    software  the sender's kernel cuts trains up, the receiver's (GRO) puts datagrams together again
    singly    the sender's kernel cuts trains up, and every datagram is delivered alone
"""

import ctypes
import fcntl
import socket
import struct

WIRES = ("veth", "software", "singly")
_SIOCETHTOOL = 0x8946
_ETHTOOL_SGRO = 0x2C  # linux/ethtool.h


def lay(pair, wire):
    if wire == "veth":
        return
    for space, device in ((pair.a, "a0"), (pair.b, "b0")):
        # A device that takes no more than one segment at a time is given no trains.
        space.ip("link", "set", "dev", device, "gso_max_segs", "1")
        _set_gro(space, device, wire == "software")


def _set_gro(space, device, on):
    value = bytearray(struct.pack("=II", _ETHTOOL_SGRO, int(on)))
    with space.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        address = _address_of(value)
        fcntl.ioctl(handle, _SIOCETHTOOL, struct.pack("16sP16x", device.encode(), address))


def _address_of(buffer):
    return ctypes.addressof((ctypes.c_char * len(buffer)).from_buffer(buffer))
