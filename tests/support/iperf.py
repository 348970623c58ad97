# SPDX-License-Identifier: Apache-2.0
"""iperf3 between two namespaces."""

import contextlib
import json
import subprocess
import time

import netns
import traffic

PORT = 5201


class IperfError(RuntimeError):
    """It measured nothing."""


@contextlib.contextmanager
def server(space, address):
    """An iperf3 server on an address of the namespace."""
    child = space.start(["iperf3", "--server", "--bind", address], stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL)
    try:
        traffic.wait_for_listener(space, address, PORT)
        yield
    finally:
        netns.stop(child)


def run(space, target, seconds, *options):
    """Received bits per second, one number for each direction measured."""
    command = ["iperf3", "--client", target, "-C", "cubic", "--json", "--time", str(seconds), *options]
    for _ in range(5):  # the server may still be busy with the end of the last test
        report = json.loads(space.run(*command, check=False) or "{}")
        sums = [report.get("end", {}).get(name) for name in ("sum_received",
                                                             "sum_received_bidir_reverse")]
        if sums[0]:
            return [one["bits_per_second"] for one in sums if one]
        time.sleep(0.3)
    raise IperfError(f"iperf3 measured nothing: {report.get('error', report)}")
