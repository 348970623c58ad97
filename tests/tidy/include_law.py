# SPDX-License-Identifier: Apache-2.0
"""The include law as data. ARCHITECTURE.md shows the same table to people; tidy_test.py reads both
and fails when they differ, so change them together."""

import dataclasses

# Where a line of a room's table may point: other rooms by name, or the interfaces of the OS edge.
HOST_INTERFACES = "supervisor/host interfaces"


@dataclasses.dataclass(frozen=True)
class Room:
    ours: tuple = ()      # rooms of ours it may include, besides itself
    outside: tuple = ()   # libraries it may include, besides {fmt} and the standard library
    pure: bool = False    # no fd, clock, thread, environment or randomness
    impure: tuple = ()    # files of a pure room that are its edge


_FASTPATH_ROOMS = ("fastpath/packet", "fastpath/wire", "fastpath/config", "fastpath/crypto",
                   "fastpath/control", "fastpath/data", "fastpath/proxy", "fastpath/peer", "fastpath/io",
                   "fastpath/hostnet")
_SUPERVISOR_ROOMS = ("supervisor/site", "supervisor/pki", "supervisor/render", "supervisor/plan",
                     "supervisor/placement", "supervisor/host", "supervisor/launch",
                     "supervisor/watch", "supervisor/doctor")

ROOMS = {
    "base": Room(),
    "ovpn": Room(ours=("base",)),
    "fastpath/packet": Room(ours=("base",), pure=True),
    "fastpath/wire": Room(ours=("base",), pure=True),
    "fastpath/config": Room(ours=("base", "ovpn"), pure=True),
    "fastpath/crypto": Room(ours=("base", "fastpath/config"), outside=("openssl", "ipsec-mb"),
                             pure=True),
    "fastpath/control": Room(ours=("base", "ovpn", "fastpath/wire", "fastpath/config",
                                   "fastpath/crypto"), pure=True),
    "fastpath/data": Room(ours=("base", "fastpath/packet", "fastpath/wire", "fastpath/crypto"),
                          outside=("lz4",), pure=True),
    "fastpath/proxy": Room(ours=("base", "fastpath/config", "fastpath/crypto"), pure=True),
    "fastpath/peer": Room(ours=("base", "ovpn", "fastpath/packet", "fastpath/wire",
                                "fastpath/config", "fastpath/control", "fastpath/data"), pure=True),
    "fastpath/io": Room(ours=("base", "fastpath/packet")),
    "fastpath/hostnet": Room(ours=("base", "ovpn"), outside=("libmnl", "systemd")),
    "fastpath/root_helper": Room(ours=("base", "fastpath/hostnet")),
    "fastpath/engine": Room(ours=("base", "ovpn", *_FASTPATH_ROOMS), outside=("systemd",)),
    "supervisor/site": Room(ours=("base", "ovpn"), outside=("toml++",), pure=True),
    "supervisor/pki": Room(ours=("base",), outside=("openssl",)),
    "supervisor/render": Room(ours=("base", "ovpn", "supervisor/site"), pure=True),
    "supervisor/plan": Room(ours=("base", "supervisor/site", "supervisor/render", HOST_INTERFACES),
                            pure=True, impure=("apply.cc",)),
    "supervisor/placement": Room(ours=("base", "supervisor/site"), pure=True),
    "supervisor/host": Room(ours=("base",), outside=("systemd", "boost", "libmnl", "nlohmann")),
    "supervisor/launch": Room(ours=("base", "ovpn", "supervisor/site", "supervisor/pki",
                                    "supervisor/render",
                                    "supervisor/placement", "supervisor/host"),
                              outside=("nlohmann",)),
    "supervisor/watch": Room(ours=("base", "ovpn", "supervisor/site", HOST_INTERFACES)),
    "supervisor/doctor": Room(ours=("base", "ovpn", "supervisor/placement", "supervisor/render",
                                    HOST_INTERFACES), pure=True),
    "supervisor/cli": Room(ours=("base", "ovpn", *_SUPERVISOR_ROOMS), outside=("CLI11", "nlohmann")),
}

# The pure headers of supervisor/host: what plan, launch and watch may know of the machine.
HOST_INTERFACE_HEADERS = ("supervisor/host/file_store.h", "supervisor/host/service_manager.h",
                          "supervisor/host/process_facts.h", "supervisor/host/network_facts.h")

# First folder (or whole name) of an include -> the library it belongs to.
LIBRARIES = {"openssl": "openssl", "systemd": "systemd", "toml++": "toml++", "toml.hpp": "toml++",
             "boost": "boost", "CLI": "CLI11", "nlohmann": "nlohmann", "libmnl": "libmnl",
             "lz4.h": "lz4", "intel-ipsec-mb.h": "ipsec-mb",
             "fmt": "fmt"}
ANYWHERE = ("fmt",)
# Heavy or changing libraries are held in one .cc each, so that what takes their place touches one.
ONE_FILE = ("toml++", "boost", "lz4", "ipsec-mb")
# Never in a header: every file that included it would pay for them.
NOT_IN_HEADERS = ("toml++", "boost", "nlohmann", "CLI11", "ipsec-mb")

# What a pure room may not include. <atomic> and <chrono> are values; these are the world.
IMPURE_INCLUDES = ("unistd.h", "fcntl.h", "poll.h", "pthread.h", "signal.h", "csignal", "time.h",
                   "ctime", "thread", "mutex", "shared_mutex", "condition_variable", "future",
                   "random", "fstream", "iostream", "filesystem", "cstdio", "stdio.h",
                   "base/file.h", "base/unique_fd.h")
IMPURE_INCLUDE_FOLDERS = ("sys", "linux", "net")
HARMLESS_INCLUDES = ("sys/types.h",)
# And what it may not name, whatever header it came by.
IMPURE_TOKENS = (r"\b(secure_)?getenv\b", r"\bs?rand(om)?\s*\(", r"\brandom_device\b",
                 r"\bgetrandom\b", r"\brandom_bytes\b", r"\bRAND_(priv_)?bytes\b",
                 r"\bclock_gettime\b", r"\bgettimeofday\b", r"\w+_clock::now\b",
                 r"\b(monotonic|unix)_now\b", r"\bstd::time\b", r"\bstd::j?thread\b",
                 r"\bUniqueFd\b", r"\bsystem\s*\(", r"\bpopen\s*\(")
