# SPDX-License-Identifier: Apache-2.0
"""A TCP transfer that goes on until it is ended, with the times at which its bytes arrived: how long
a tunnel carried nothing, and whether everything came."""

import hashlib
import random
import socket
import threading
import time

BLOCK = 8192
PACE_SECONDS = 0.004


class TransferError(AssertionError):
    """The bytes that arrived are not those that were sent."""


class Transfer:
    """From one namespace to an address in another. Use as a context manager: a whole transfer is
    proved by finish()."""

    def __init__(self, sender, receiver, address, timeout=60.0):
        self._ending = threading.Event()
        self._sent, self._came = hashlib.sha256(), hashlib.sha256()
        self._arrivals, self.bytes, self._failures = [], 0, []
        self._listener = receiver.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._listener.bind((address, 0))
        self._listener.listen(1)
        self._out = sender.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._out.settimeout(timeout)
        self._out.connect((address, self._listener.getsockname()[1]))
        self._in, _ = self._listener.accept()
        self._in.settimeout(timeout)
        self._threads = [threading.Thread(target=run, daemon=True)
                         for run in (self._send, self._receive)]
        for thread in self._threads:
            thread.start()

    def _send(self):
        numbers = random.Random(1)
        try:
            while not self._ending.is_set():
                block = numbers.randbytes(BLOCK)
                self._sent.update(block)
                self._out.sendall(block)
                time.sleep(PACE_SECONDS)
            self._out.shutdown(socket.SHUT_WR)
        except OSError as error:
            self._failures.append(f"sending: {error}")

    def _receive(self):
        try:
            while piece := self._in.recv(1 << 18):
                self._came.update(piece)
                self.bytes += len(piece)
                self._arrivals.append(time.monotonic())
        except OSError as error:
            self._failures.append(f"receiving: {error}")

    def longest_gap(self, since, until):
        """Seconds in which nothing arrived, at most, in that time."""
        times = [when for when in list(self._arrivals) if since - 0.5 <= when <= until]
        return max((b - a for a, b in zip(times, times[1:])), default=until - since)

    def wait_for_more(self, timeout=30.0):
        """Until bytes arrive that had not."""
        before, end = self.bytes, time.monotonic() + timeout
        while self.bytes == before:
            if time.monotonic() > end or self._failures:
                raise TransferError(f"nothing more arrived in {timeout:g} s {self._failures}")
            time.sleep(0.005)

    def finish(self, timeout=60.0):
        """Bytes that arrived, every one of them right."""
        self._ending.set()
        for thread in self._threads:
            thread.join(timeout)
        if self._failures or self._sent.digest() != self._came.digest():
            raise TransferError(f"{self.bytes} bytes arrived, and not the right ones"
                                + "".join(f"; {failure}" for failure in self._failures))
        return self.bytes

    def close(self):
        self._ending.set()
        for end in (self._out, self._in, self._listener):
            end.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def gaps_in_words(gaps):
    """"gap 12 ms in the median, 80 ms at most (p99 of 20)"."""
    ordered = sorted(gaps)
    middle, high = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1,
                                                          int(len(ordered) * 0.99))]
    return (f"gap {middle * 1000:.0f} ms in the median, {high * 1000:.0f} ms p99,"
            f" of {len(ordered)} kills")
