#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast tunnels are, side by side: the native engine, stock OpenVPN, both together, the bare
wire and wireguard-go, on this machine. tests/bench/README says how to read what it prints.

    bench.py --build build/release [OPTION...]

Rounds follow each other and everybody is measured once in each, so that a machine that gets busy
half-way slows all alike. Only ratios within one run mean anything.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "bench")]
sys.dont_write_bytecode = True

import contenders as who
import meter
import netns
import skip
import wires

# (key of a result, heading, what it is divided by to be read, more is better)
COLUMNS = (("up", "up", 1e6, True), ("down", "down", 1e6, True), ("streams", "8 up", 1e6, True),
           ("both", "both", 1e6, True), ("cpu", "cpu s/GB", 1, False),
           ("udp64", "udp64 k/s", 1e3, True), ("ping", "ping us", 1e-6, False),
           ("ping99", "p99 us", 1e-6, False))
ALL_KINDS = ("tcp", "streams", "both", "ping", "udp")
STOCK = "stock - stock"


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="a release build")
    parser.add_argument("--rounds", type=int, default=5, help="default: 5")
    parser.add_argument("--seconds", type=int, default=3, help="of each TCP run (default: 3)")
    parser.add_argument("--only", default="", help="contenders whose title this pattern finds")
    parser.add_argument("--measure", default=",".join(ALL_KINDS),
                        help=f"some of {','.join(ALL_KINDS)}")
    parser.add_argument("--wire", choices=wires.WIRES, default="veth", help="default: veth")
    parser.add_argument("--json", type=pathlib.Path, help="write every single figure here")
    parser.add_argument("--wireguard", default=os.environ.get("TUNCTL_WIREGUARD_GO", ""),
                        help="a wireguard-go program, or a root folder with one; `fetch` fetches "
                             "it from Debian (default: $TUNCTL_WIREGUARD_GO)")
    options = parser.parse_args(arguments)
    options.measure = options.measure.split(",")
    unknown = set(options.measure) - set(ALL_KINDS)
    if unknown or options.rounds < 1 or options.seconds < 1:
        parser.error(f"what is {' '.join(sorted(unknown)) or 'less than 1'}?")
    return options


def chosen(options):
    return [one for one in who.contenders()
            if re.search(options.only, one.title)
            and (options.wireguard or one.name != "wireguard-go")]


def run(options, table, progress):
    """{title: {key: [a figure per round]}} for every contender of `table`, and what failed."""
    results = {one.title: {} for one in table}
    failures = []
    kinds = meter.measures(str(options.build / "tests" / "bench" / "udp_rate"))
    for number in range(options.rounds):
        for index, one in enumerate(table):
            progress(f"round {number + 1} of {options.rounds}: {index + 1} of {len(table)}: {one.title}")
            try:
                with netns.Pair() as pair:
                    wires.lay(pair, options.wire)
                    with who.raised(one, pair, options.wireguard) as target:
                        found = meter.measure(options.measure, kinds, pair, target, options.seconds)
            except Exception as error:  # one that fails must not cost an hour of the others
                failures.append(f"round {number + 1}: {one.title}: {error}")
                progress(f"failed: {error}")
                continue
            if "cpu_up" in found:
                found["cpu"] = (found["cpu_up"] + found["cpu_down"]) / 2
            for key, value in found.items():
                results[one.title].setdefault(key, []).append(value)
    return results, failures


def median(values):
    return statistics.median(values) if values else None


def cell(values, unit):
    """A median with its range, or a blank."""
    if not values:
        return f"{'-':>18}"
    low, middle, high = (value / unit for value in (min(values), median(values), max(values)))
    if middle < 10:
        return f"{middle:6.2f} {f'[{low:.2f}-{high:.2f}]':>11}"
    return f"{middle:6.0f} {f'[{low:.0f}-{high:.0f}]':>11}"


def text_table(table, results, columns=COLUMNS):
    """Medians with ranges, by cipher; then the same as ratios to stock - stock of that cipher."""
    used = [column for column in columns if any(column[0] in found for found in results.values())]
    lines = [" " * 34 + "".join(f"{heading:>18}" for _, heading, _, _ in used)]
    last = None
    for one in table:
        if one.cipher != last:
            lines.append(who.TITLES[one.cipher])
        last = one.cipher
        found = results[one.title]
        cells = "".join(cell(found.get(key, []), unit) for key, _, unit, _ in used)
        lines.append(f"  {one.name:32}{cells}")
    return lines


def ratio(results, title, against, key):
    above, below = (median(results.get(one, {}).get(key, [])) for one in (title, against))
    return above / below if above and below else None


def ratio_lines(table, results):
    """Against stock - stock of the same cipher, tuned stock and wireguard-go, as words."""
    lines = []
    for one in table:
        if not set(one.ends) & {"native", "openssl"}:
            continue
        for rival in (STOCK, "stock tuned - stock tuned"):
            lines += _ratio_line(results, one, f"{one.cipher}:{rival}")
        if one.cipher == "gcm":
            lines += _ratio_line(results, one, "wireguard-go")
    return lines


def _ratio_line(results, one, against):
    words = []
    for key, heading, _, better in COLUMNS:
        value = ratio(results, one.title, against, key)
        if value is not None:
            words.append(f"{heading.split()[0]} {value:.2f}" if better
                         else f"{heading.split()[0]} {value:.2f} (less is better)")
    return [f"{one.title} / {against}: {', '.join(words)}"] if words else []


def machine(options):
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    version = lambda *command: subprocess.run(command, capture_output=True,
                                              text=True).stdout.splitlines()[:1]
    return {"when": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "kernel": platform.release(), "cpu": cpu[1] if cpu else "unknown",
            "cpus": os.cpu_count(), "load": os.getloadavg()[0], "wire": options.wire,
            "rounds": options.rounds, "seconds": options.seconds,
            "openvpn": version("openvpn", "--version"), "iperf3": version("iperf3", "--version"),
            "wireguard-go": who.wireguard_version(options.wireguard) if options.wireguard else None}


def fetched_wireguard():
    done = subprocess.run([TESTS / "tools" / "fetch-peers", "wireguard-go"], stdout=subprocess.PIPE,
                          text=True, check=True)
    return done.stdout.strip()


def main(arguments):
    options = parse(arguments)
    skip.need("root", "netns", "tun", "program:iperf3", "program:openvpn", "program:openssl")
    netns.end_on_signals()
    os.environ["TUNCTL_BUILD_DIR"] = str(options.build.resolve())
    import native_peer
    native_peer.BUILD = options.build.resolve()
    native_peer.ENGINE = native_peer.BUILD / "fastpath" / "tunctl-fastpath"
    if options.wireguard == "fetch":
        options.wireguard = fetched_wireguard()
    facts = machine(options)
    table = chosen(options)
    if not table:
        sys.exit(f"no contender's title has {options.only!r}")
    results, failures = run(options, table,
                            lambda line: print(line, file=sys.stderr, flush=True))
    print("\n".join(f"{key}: {value}" for key, value in facts.items()))
    print("\n".join(["", "medians [lowest-highest]; Mbit/s received, one TCP stream where not said "
                     "otherwise", *text_table(table, results), "", *ratio_lines(table, results)]))
    if options.json:
        options.json.write_text(json.dumps(
            {"machine": facts, "failures": failures,
             "results": {title: found for title, found in results.items()}}, indent=1) + "\n")
    if failures:
        print("\nfailed:\n" + "\n".join(failures))
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
