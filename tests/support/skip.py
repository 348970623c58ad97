# SPDX-License-Identifier: Apache-2.0
"""What a test may need from the machine, asked of the machine itself.

A test that cannot run here ends with exit status 77 and one line "SKIPPED: needs RIGHT: how it
was found missing". tests/tools/run_tests.py asks for the same RIGHT again and fails the run when
it is there after all: a test that can run must run.
"""

import os
import shutil
import subprocess
import sys

EXIT_SKIPPED = 77


def _root():
    return None if os.geteuid() == 0 else "this is not root"


def _tun():
    try:
        os.close(os.open("/dev/net/tun", os.O_RDWR))
    except OSError as error:
        return f"/dev/net/tun: {error.strerror}"
    return None


def _try(*command):
    if shutil.which(command[0]) is None:
        return f"no program {command[0]}"
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return None
    return f"{' '.join(command)}: {(done.stderr or done.stdout).strip() or done.returncode}"


def _netns():
    return _try("unshare", "--net", "true")


def _mounts():
    return _try("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt")


def _overlay():
    """Whether this machine's root can be seen with changes that nobody else sees."""
    return _try("unshare", "--mount", "sh", "-c",
                "mount -t tmpfs tmpfs /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay overlay"
                " -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r")


def _boot():
    """Whether a container with a systemd of its own can be started: rights and programs."""
    for path in ("/lib/systemd/systemd", "/sys/fs/cgroup"):
        if not os.path.exists(path):
            return f"no {path}"
    if not os.access("/sys/fs/cgroup", os.W_OK):
        return "/sys/fs/cgroup cannot be written"
    return _try("systemd-nspawn", "--version") or _netns() or _mounts()


def _cpus():
    return None if (os.cpu_count() or 1) > 1 else "this machine has one CPU"


def _uso():
    """Whether a tun device takes and hands over UDP in large packets (Linux 6.2)."""
    # TUNSETIFF with IFF_TUN, IFF_NO_PI and IFF_VNET_HDR; TUNSETOFFLOAD with TUN_F_CSUM, _TSO4,
    # _TSO6, _USO4 and _USO6 (<linux/if_tun.h>).
    probe = ("import fcntl, os, struct\n"
             "tun = os.open('/dev/net/tun', os.O_RDWR)\n"
             "fcntl.ioctl(tun, 0x400454ca, struct.pack('16sH22x', b'tun%d', 0x5001))\n"
             "fcntl.ioctl(tun, 0x400454d0, 0x67)\n")
    return _tun() or _try("unshare", "--net", sys.executable, "-c", probe)


def _exists(path):
    return None if os.path.exists(path) else f"no {path}"


def _ipv6_switch():
    path = "/proc/sys/net/ipv6/conf/all/disable_ipv6"
    return None if os.access(path, os.W_OK) else f"{path} cannot be written"


def _multi_buffer():
    """Whether a build here has libipsec-mb, and a processor that it works on."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            flags = next((line.split() for line in file if line.startswith("flags")), [])
    except OSError as error:
        return f"/proc/cpuinfo: {error.strerror}"
    return _exists("/usr/include/intel-ipsec-mb.h") or (None if "aes" in flags else "no AES-NI")


def _little_endian():
    return None if sys.byteorder == "little" else "this machine is big-endian"


def _program(name):
    return None if shutil.which(name) else f"no program {name}"


RIGHTS = {"root": _root, "tun": _tun, "netns": _netns, "mounts": _mounts,
          "overlay": _overlay, "boot": _boot, "cpus": _cpus, "uso": _uso,
          "ipv6": lambda: _exists("/proc/net/if_inet6"), "ipv6-switch": _ipv6_switch,
          "multi-buffer": _multi_buffer, "little-endian": _little_endian}


def missing(right):
    """None when `right` (a key of RIGHTS, or "program:NAME") is here, else why it is not."""
    if right.startswith("program:"):
        return _program(right.partition(":")[2])
    return RIGHTS[right]()


def skip(reason):
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(EXIT_SKIPPED)


def need(*rights):
    """Ends the test as skipped when one of the rights is missing."""
    for right in rights:
        why = missing(right)
        if why is not None:
            skip(f"needs {right}: {why}")
