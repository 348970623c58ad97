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


CONTAINER_FLAGS = """\
  In a container, these flags of docker and podman give them:
    --cap-add=NET_ADMIN --cap-add=SYS_ADMIN --device=/dev/net/tun --security-opt apparmor=unconfined
  and for hosts with a systemd of their own:
    --privileged --cgroupns=host -v /sys/fs/cgroup:/sys/fs/cgroup:rw"""


class Progress:
    """One line that is written over where somebody watches, and is left out where nobody does."""

    def __init__(self):
        self._live = sys.stdout.isatty()

    def __call__(self, text):
        if self._live:
            print(f"\r\033[K  {text}", end="", flush=True)

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


def show_without_rights(options, lacks):
    """The real thing as far as it goes where neither tun nor namespaces are to be had."""
    head("as far as it goes here")
    for right in ("root", "tun", "netns"):
        if lacks[right]:
            print(f"  missing: {right} ({lacks[right]})")
    print(CONTAINER_FLAGS)
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
    os.environ["TUNCTL_BUILD_DIR"] = str(pathlib.Path(options.build).resolve())
    import netns
    import skip
    netns.end_on_signals()
    lacks = {right: skip.missing(right) for right in skip.RIGHTS}
    if options.without_hosts:
        lacks["boot"] = "asked for with --without-hosts"
    start = time.monotonic()
    try:
        if lacks["root"] or lacks["tun"] or lacks["netns"] or lacks["mounts"]:
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
