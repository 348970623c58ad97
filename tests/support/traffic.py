# SPDX-License-Identifier: Apache-2.0
"""Traffic between two namespaces, compared byte for byte. No program is started for it: a socket
made inside a namespace stays there, whoever reads it."""

import os
import select
import socket
import struct
import threading
import time

PING_SIZES = (0, 1, 7, 8, 15, 16, 17, 55, 56, 64, 100, 511, 512, 1300, 1372, 1400, 1444, 1472, 1473,
              1500, 2000, 4000, 8000)


class TrafficError(AssertionError):
    """The tunnel did not carry what was sent."""


def _checksum(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _echo(kind, identifier, sequence, payload, with_checksum):
    head = struct.pack("!BBHHH", kind, 0, 0, identifier, sequence)
    if not with_checksum:  # the kernel fills it in for ICMPv6
        return head + payload
    return struct.pack("!BBHHH", kind, 0, _checksum(head + payload), identifier, sequence) + payload


class Pinger:
    """Echo requests out of one namespace. Use as a context manager."""

    def __init__(self, namespace, target):
        self._target = target
        self._six = ":" in target
        family = socket.AF_INET6 if self._six else socket.AF_INET
        protocol = socket.IPPROTO_ICMPV6 if self._six else socket.IPPROTO_ICMP
        self._socket = namespace.socket(family, socket.SOCK_RAW, protocol)
        self._identifier = int.from_bytes(os.urandom(2), "big")
        self._sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def once(self, size, timeout):
        """Seconds until the very same bytes came back, or None."""
        payload = os.urandom(size)
        self._sequence = (self._sequence + 1) & 0xFFFF
        wanted = _echo(129 if self._six else 0, self._identifier, self._sequence, payload, False)
        asked = _echo(128 if self._six else 8, self._identifier, self._sequence, payload,
                      not self._six)
        start = time.monotonic()
        try:
            self._socket.sendto(asked, (self._target, 0))
        except OSError:  # no route or interface yet
            time.sleep(min(timeout, 0.05))
            return None
        return self._wait_for(wanted, start, timeout)

    def _wait_for(self, wanted, start, timeout):
        while (left := start + timeout - time.monotonic()) > 0:
            if not select.select([self._socket], [], [], left)[0]:
                return None
            packet = self._socket.recv(65536)
            message = packet if self._six else packet[(packet[0] & 15) * 4:]
            if message[:2] == wanted[:2] and message[4:] == wanted[4:]:
                return time.monotonic() - start
        return None


def wait_for_ping(namespace, target, timeout=10.0):
    """Pings until the first answer: the tunnel is up. Returns the seconds it took."""
    start = time.monotonic()
    with Pinger(namespace, target) as pinger:
        while time.monotonic() < start + timeout:
            if pinger.once(56, 0.1) is not None:
                return time.monotonic() - start
    raise TrafficError(f"{namespace.name}: no answer from {target} in {timeout:g} s")


def ping_sizes(namespace, target, sizes=PING_SIZES):
    """One echo of each size; a size is tried three times, for a busy machine drops packets too."""
    with Pinger(namespace, target) as pinger:
        for size in sizes:
            if not any(pinger.once(size, 1.0) is not None for _ in range(3)):
                raise TrafficError(f"{namespace.name}: no answer from {target} to {size} bytes")


def ping_median(namespace, target, count=101):
    """Median round trip in seconds of `count` pings, one after the other."""
    with Pinger(namespace, target) as pinger:
        times = sorted(t for t in (pinger.once(56, 1.0) for _ in range(count)) if t is not None)
    if not times:
        raise TrafficError(f"{namespace.name}: no answer from {target}")
    return times[len(times) // 2]


def wait_for_listener(namespace, address, port, timeout=5.0):
    """Until something in the namespace listens on the TCP port of one of its own addresses."""
    end = time.monotonic() + timeout
    while True:
        with namespace.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            if probe.connect_ex((address, port)) == 0:
                return
        if time.monotonic() > end:
            raise TrafficError(f"{namespace.name}: nobody listens on {address}:{port}")
        time.sleep(0.02)


def tcp_copy(sender, receiver, address, data, timeout=60.0, option=None):
    """Sends `data` over TCP and compares what arrives with it. Returns the seconds it took.
    `option`: a setsockopt(2) for the sender's side, as (level, name, value)."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with receiver.socket(family, socket.SOCK_STREAM) as listener:
        listener.bind((address, 0))
        listener.listen(1)
        listener.settimeout(timeout)
        arrived = bytearray()
        failures = []
        reader = threading.Thread(target=_receive, args=(listener, arrived, failures, timeout))
        start = time.monotonic()
        reader.start()
        try:
            with sender.socket(family, socket.SOCK_STREAM) as stream:
                stream.settimeout(timeout)
                if option:
                    stream.setsockopt(*option)
                stream.connect((address, listener.getsockname()[1]))
                stream.sendall(data)
                stream.shutdown(socket.SHUT_WR)
                stream.recv(1)  # the receiver closes once it has read all
        except OSError as error:
            failures.append(f"sending: {error}")
        reader.join(timeout)
    _compare(data, arrived, failures)
    return time.monotonic() - start


def _receive(listener, arrived, failures, timeout):
    try:
        stream, _ = listener.accept()
        with stream:
            stream.settimeout(timeout)
            while piece := stream.recv(1 << 18):
                arrived += piece
    except OSError as error:
        failures.append(f"receiving: {error}")


def _compare(data, arrived, failures):
    if arrived == data and not failures:
        return
    common = next((i for i, (x, y) in enumerate(zip(data, arrived)) if x != y), len(arrived))
    raise TrafficError(f"{len(arrived)} of {len(data)} bytes arrived, the first {common} right"
                       + "".join(f"; {failure}" for failure in failures))
