#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`bootstrap demo`: the main job on two hosts, then how fast it is, measured here and now.

    demo.py --build DIR --stage DIR [--measure-only | --story-only] [--without-hosts]

Shows as much as the machine allows and says what is missing. Everything is removed at the end,
also on Ctrl-C."""

import argparse
import os
import pathlib
import subprocess
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name)
                for name in ("support", "interop")]


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--stage", required=True)
    parser.add_argument("--measure-only", action="store_true")
    parser.add_argument("--story-only", action="store_true")
    parser.add_argument("--without-hosts", action="store_true",
                        help="tell the story as where no host can be booted")
    return parser.parse_args()


# What the tunnel and its measurement cannot do without.
NEEDED = ("root", "tun", "netns", "mounts")

CONTAINER_FLAGS = """\
  In a container, these flags of docker and podman give what is missing:
    --cap-add=NET_ADMIN --cap-add=SYS_ADMIN --device=/dev/net/tun --security-opt apparmor=unconfined
  and for hosts with a systemd of their own:
    --privileged --cgroupns=host -v /sys/fs/cgroup:/sys/fs/cgroup:rw"""


class Progress:
    """One line that is written over on a terminal; a line for each pass anywhere else, so that a
    log shows that something goes on."""

    def __init__(self):
        self._live = sys.stdout.isatty()
        self._pass = None

    def __call__(self, text):
        if self._live:
            print(f"\r\033[K  {text}", end="", flush=True)
            return
        number = text.partition(":")[0]
        if number != self._pass:
            self._pass = number
            print(f"  {number}, about 45 s each", flush=True)

    def done(self):
        if self._live:
            print("\r\033[K", end="", flush=True)


def head(text):
    print(f"\n== {text}", flush=True)


def tell_story(options, lacks):
    import story
    if not lacks["boot"]:
        head("two hosts, one tunnel")
        story.on_two_hosts(pathlib.Path(options.stage).resolve())
    else:
        head("two namespaces, one tunnel, `tunctl run`")
        print(f"  (no hosts with a systemd of their own here: {lacks['boot']})")
        story.in_two_namespaces(str(pathlib.Path(options.build, "supervisor", "tunctl").resolve()))


def measure_speed():
    import measure
    head("how fast, measured here and now (iperf3 -C cubic, near and far on this machine)")
    table = measure.rows()
    progress = Progress()
    measure.measure(table, progress)
    progress.done()
    print("\n".join(measure.text_table(table)))
    print()
    for line in measure.derived_lines(table):
        print(f"  {line}")
    worse = measure.slower_than_stock(table)
    print("  a native end is nowhere slower than stock" if not worse
          else f"  slower than stock - stock in: {'; '.join(worse)}")


def missing_lines(lacks):
    """Each right that is missing, by name and with how that was found, then what gives it."""
    return [f"  missing: {right} ({lacks[right]})" for right in NEEDED if lacks[right]] + [
        CONTAINER_FLAGS]


def show_without_rights(options, lacks):
    """The real thing as far as it goes where neither tun nor namespaces are to be had."""
    head("as far as it goes here")
    print("\n".join(missing_lines(lacks)))
    head("two native engines over loopback UDP, tun ports in memory")
    status = subprocess.call([str(pathlib.Path(options.build, "tests", "demo", "demo_memory_tunnel"))])
    if status != 0:
        raise RuntimeError(f"the tunnel in memory failed ({status})")
    head("native against stock OpenVPN, `dev null`: each authenticates the other's pings")
    import dev_null
    for index, crypto in enumerate(("cipher none\nauth none\n", "", "cipher AES-256-CBC\nauth SHA512\n")):
        dev_null.both_hear(crypto, native_calls=index % 2 == 0)
        print(f"  ok: {' '.join(crypto.split()) or 'default (BF-CBC, SHA1)'}", flush=True)


def main():
    options = parse_arguments()
    sys.stdout.reconfigure(line_buffering=True)  # behind a pipe it would come in blocks
    os.environ["TUNCTL_BUILD_DIR"] = str(pathlib.Path(options.build).resolve())
    import netns
    import skip
    netns.end_on_signals()
    lacks = {right: skip.missing(right) for right in skip.RIGHTS}
    if options.without_hosts:
        lacks["boot"] = "asked for with --without-hosts"
    start = time.monotonic()
    try:
        if any(lacks[right] for right in NEEDED):
            show_without_rights(options, lacks)
        else:
            if not options.measure_only:
                tell_story(options, lacks)
            if not options.story_only:
                measure_speed()
    except KeyboardInterrupt:
        print("\ninterrupted; everything is removed", file=sys.stderr)
        sys.exit(130)
    except (AssertionError, RuntimeError, OSError) as error:
        print(f"\nthe demo failed; everything is removed: {error}", file=sys.stderr)
        sys.exit(1)
    print(f"\nall of it in {time.monotonic() - start:.0f} s; nothing is left behind", flush=True)


if __name__ == "__main__":
    main()
