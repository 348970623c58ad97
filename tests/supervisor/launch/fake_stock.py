#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for stock OpenVPN: answers --version, then follows the script in ./stock-script, a line
each: "say TEXT" to the management socket, "wait TEXT" for a command, "exit N", "hang", "serve"
(answer `status` for ever). What it was started with goes to ./stock-arguments."""

import os
import socket
import sys
import time

STATISTICS = ("OpenVPN STATISTICS\r\nUpdated,2026-11-30 21:01:21\r\nTUN/TAP read bytes,48\r\n"
              "TUN/TAP write bytes,52\r\nTCP/UDP read bytes,0\r\nTCP/UDP write bytes,100\r\n"
              "Auth read bytes,0\r\nEND\r\n")

if sys.argv[1:] == ["--version"]:
    print("OpenVPN 2.6.14 fake")
    sys.exit(1)
with open("stock-arguments", "w") as file:
    file.write(" ".join(sys.argv[1:]) + "\n")
    told = {"NOTIFY_SOCKET", "WATCHDOG_USEC"} & set(os.environ)
    file.write(",".join(sorted(told)))
with open("stock-pid", "w") as file:
    file.write(str(os.getpid()))
script = open("stock-script").read().splitlines()
if script[0].startswith("refuse"):
    sys.exit(1)
link = socket.socket(socket.AF_UNIX)
link.connect("management.sock")
lines = link.makefile("r")


def answer(line):
    if line == "status\n":
        link.sendall(STATISTICS.encode())
    else:
        link.sendall(b"SUCCESS: " + line.encode())


for word, _, rest in (line.partition(" ") for line in script):
    if word == "say":
        link.sendall(rest.encode() + b"\r\n")
    elif word == "wait":
        for line in lines:
            answer(line)
            if line == rest + "\n":
                break
    elif word == "exit":
        sys.exit(int(rest))
    elif word == "hang":
        time.sleep(60)
    elif word == "serve":
        for line in lines:
            answer(line)
