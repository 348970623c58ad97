# SPDX-License-Identifier: Apache-2.0
"""A service manager for one engine that keeps its descriptors (sd_notify(3), FDSTORE=1) and gives
them to the next one, as systemd and `tunctl run` do."""

import array
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

from native_peer import ENGINE
from processes import LoggedProgram

LEAVE = signal.SIGRTMIN + 1  # RestartKillSignal= of the unit
# Puts descriptors at 3, 4 ... and becomes the engine.
_LAUNCH = """import fcntl, os, sys
numbers = [int(word) for word in sys.argv[1].split(",") if word]
above = [fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 100) for number in numbers]
for number in numbers:
    os.set_inheritable(number, False)
for at, number in enumerate(above):
    os.dup2(number, 3 + at)
if numbers:
    os.environ.update(LISTEN_FDS=str(len(numbers)), LISTEN_FDNAMES=sys.argv[2],
                      LISTEN_PID=str(os.getpid()))
os.execv(sys.argv[3], sys.argv[3:])
"""


class Engine(LoggedProgram):
    """One run."""


class KeepingManager:
    """Use as a context manager; `kept` is what the next run gets: name -> descriptor."""

    def __init__(self, namespace, folder, text, name="native", options=()):
        self.namespace, self.folder, self.name = namespace, pathlib.Path(folder), name
        self.options = options
        self.kept, self.status, self.ready = {}, "", False
        self.engine, self.runs = None, 0
        self.write(text)
        self.state = self.folder / f"{name}.state"
        self.state.mkdir(exist_ok=True)
        self._path = str(self.folder / f"{name}.notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self._path)
        self._socket.settimeout(0.1)
        self._ends = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def write(self, text):
        (self.folder / f"{self.name}.conf").write_text(text)

    def _read(self):
        while not self._ends.is_set():
            try:
                data, ancillary, _, _ = self._socket.recvmsg(65536, socket.CMSG_SPACE(64 * 4))
            except TimeoutError:
                continue
            numbers = array.array("i")
            for level, kind, piece in ancillary:
                if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                    numbers.frombytes(piece)
            self._hear(dict(line.partition("=")[::2] for line in data.decode().splitlines()),
                       list(numbers))

    def _hear(self, words, numbers):
        self.status = words.get("STATUS", self.status)
        self.ready = self.ready or words.get("READY") == "1"
        name = words.get("FDNAME", "stored")
        if words.get("FDSTOREREMOVE") == "1" and name in self.kept:
            os.close(self.kept.pop(name))
        if words.get("FDSTORE") == "1":
            assert words.get("FDPOLL") == "0" and name not in self.kept, (words, self.kept)
            self.kept[name] = numbers.pop(0)
        for number in numbers:  # of BARRIER=1, too
            os.close(number)

    def start(self):
        self.runs += 1
        self.ready, self.status = False, ""
        numbers = list(self.kept.values())
        command = [sys.executable, "-c", _LAUNCH, ",".join(map(str, numbers)), ":".join(self.kept),
                   str(ENGINE), "--cd", str(self.folder), "--config", f"{self.name}.conf",
                   "--state-dir", str(self.state), *self.options]
        self.engine = Engine("tunctl-fastpath", self.namespace.start, command,
                             self.folder / f"{self.name}.{self.runs}.log", pass_fds=numbers,
                             env={**os.environ, "NOTIFY_SOCKET": self._path})
        return self.engine

    def wait_connected(self, timeout=20.0):
        self.engine.wait_until(lambda: self.status.startswith("CONNECTED"), "CONNECTED", timeout)

    def end(self, number):
        """Sends the signal and waits for the end. The exit status; negative: a signal's."""
        self.engine.child.send_signal(number)
        status = self.engine.child.wait(20)
        time.sleep(0.05)  # its last words
        return status

    def undo(self, *more):
        """As ExecStopPost= does; `more`: its environment as NAME=VALUE."""
        subprocess.run([*self.namespace.prefix(), "env", *more, str(ENGINE), "--undo",
                        str(self.state)], check=True)

    def forget(self):
        for number in self.kept.values():
            os.close(number)
        self.kept = {}

    def close(self):
        if self.engine:
            self.engine.stop()
        self._ends.set()
        self._reader.join()
        self._socket.close()
        self.forget()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
