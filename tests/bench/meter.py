# SPDX-License-Identifier: Apache-2.0
"""What is measured of one tunnel that stands."""

import contextlib
import os
import pathlib
import subprocess
import time

import iperf
import netns
import traffic

UDP_PORT = 5301
UDP_BYTES = 64
UDP_STEP_MS = 600
UDP_LOSS_MAX = 0.01
PINGS = 501
STREAMS = 8


def busy_seconds(stat=None):
    """What all processors of the machine have been busy for, softirqs and other people included."""
    text = pathlib.Path("/proc/stat").read_text() if stat is None else stat
    user, nice, system, _idle, _wait, irq, softirq = (
        int(word) for word in text.splitlines()[0].split()[1:8])
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")


def one_stream(pair, target, seconds):
    """Bits per second up (a to b) and down, and what a gigabyte cost the machine."""
    result = {}
    for name, options in (("up", ()), ("down", ("--reverse",))):
        before = busy_seconds()
        rate = iperf.run(pair.a, target, seconds, *options)[0]
        spent = busy_seconds() - before
        result[name] = rate
        result[f"cpu_{name}"] = spent / (rate * seconds / 8e9)
    return result


def many_streams(pair, target, seconds):
    return {"streams": iperf.run(pair.a, target, seconds, "--parallel", str(STREAMS))[0]}


def both_ways(pair, target, seconds):
    return {"both": sum(iperf.run(pair.a, target, seconds, "--bidir"))}


def ping(pair, target, _seconds):
    """Seconds, idle: the median and what one in a hundred exceeds."""
    with traffic.Pinger(pair.a, target) as pinger:
        times = sorted(t for t in (pinger.once(56, 1.0) for _ in range(PINGS)) if t is not None)
    if not times:
        raise traffic.TrafficError(f"no answer from {target}")
    return {"ping": times[len(times) // 2], "ping99": times[len(times) * 99 // 100]}


class UdpReceiver:
    """Counts packets in a namespace. Use as a context manager."""

    def __init__(self, program, space, address):
        self._child = space.start([program, "receive", address, str(UDP_PORT)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._child.stdout.readline()

    def take(self):
        self._child.stdin.write("\n")
        self._child.stdin.flush()
        return int(self._child.stdout.readline())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        netns.stop(self._child)
        self._child.stdin.close()
        self._child.stdout.close()


def highest_rate(loss_at, first=20_000, limit=4_000_000, steps=5):
    """The highest rate that loses less than UDP_LOSS_MAX: doubled until it does, then halved
    between the last two. `loss_at`: rate to (packets that were really sent per second, their
    loss). 0 if not even the first gets through."""
    good, bad, rate = 0, None, first
    while bad is None and rate <= limit:
        sent, loss = loss_at(rate)
        if loss >= UDP_LOSS_MAX:
            bad = rate
        else:
            good = max(good, sent)
            if sent < rate * 0.9:  # the sender can do no more
                return good
            rate *= 2
    low, high = rate / 2 if good else 0, bad or rate
    for _ in range(steps):
        middle = (low + high) / 2
        sent, loss = loss_at(middle)
        if loss < UDP_LOSS_MAX:
            low, good = middle, max(good, sent)
        else:
            high = middle
    return good


def small_packets(program):
    """A measure: packets of UDP_BYTES per second, a to b."""

    def measure(pair, target, _seconds):
        with UdpReceiver(program, pair.b, target) as receiver:

            def loss_at(rate):
                receiver.take()
                sent = int(pair.a.run(program, "send", target, str(UDP_PORT), str(UDP_BYTES),
                                      str(rate), str(UDP_STEP_MS)))
                time.sleep(0.1)  # what is under way arrives
                arrived = receiver.take()
                return sent * 1000 / UDP_STEP_MS, max(0.0, 1 - arrived / max(sent, 1))

            return {"udp64": highest_rate(loss_at)}

    return measure


def measures(udp_program):
    return {"tcp": one_stream, "streams": many_streams, "both": both_ways, "ping": ping,
            "udp": small_packets(udp_program)}


def measure(kinds, all_measures, pair, target, seconds):
    """One result of everything that was asked for."""
    result = {}
    needs_iperf = any(kind in ("tcp", "streams", "both") for kind in kinds)
    with contextlib.ExitStack() as stack:
        if "ping" in kinds:  # first: nothing has warmed up queues yet
            result.update(all_measures["ping"](pair, target, seconds))
        if needs_iperf:
            stack.enter_context(iperf.server(pair.b, target))
        for kind in kinds:
            if kind != "ping":
                result.update(all_measures[kind](pair, target, seconds))
    return result
