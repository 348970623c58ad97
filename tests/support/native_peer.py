# SPDX-License-Identifier: Apache-2.0
"""Our own engine as one end of a tunnel, started as a service manager would: with a notify socket
of its own, and in a mount namespace where no openvpn program can be found."""

import os
import pathlib
import socket
import threading
import time

from processes import LoggedProgram

BUILD = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR",
                                    pathlib.Path(__file__).parents[2] / "build" / "dev"))
ENGINE = BUILD / "fastpath" / "tunctl-fastpath"
PRELOADED = BUILD / "tests" / "fastpath"
_WITHOUT_OPENVPN = """set -e
mount --make-rprivate /
for folder in /usr/local/sbin /usr/local/bin /usr/sbin /usr/bin; do
  if [ -e "$folder/openvpn" ]; then mount --bind /dev/null "$folder/openvpn"; fi
done
if openvpn --version 2>/dev/null; then echo "openvpn can still be found" >&2; exit 1; fi
exec "$@"
"""


class NotifySocket:
    """Records what a service tells its manager, with the time of each word. Use as a context
    manager; `environment` is what the service needs to find it."""

    def __init__(self, path, watchdog_seconds=None):
        self._path = str(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(self._path)
        self._socket.settimeout(0.2)
        self._lock = threading.Lock()
        self._words = []  # (monotonic seconds, key, value)
        self._ends = threading.Event()
        self.environment = {"NOTIFY_SOCKET": self._path}
        if watchdog_seconds:
            self.environment["WATCHDOG_USEC"] = str(int(watchdog_seconds * 1_000_000))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while not self._ends.is_set():
            try:
                message = self._socket.recv(65536).decode("utf-8", "replace")
            except TimeoutError:
                continue
            now = time.monotonic()
            with self._lock:
                self._words += [(now, *line.partition("=")[::2]) for line in message.splitlines()]

    def all(self, key):
        """(time, value) of every word with this key."""
        with self._lock:
            return [(when, value) for when, name, value in self._words if name == key]

    def last(self, key):
        words = self.all(key)
        return words[-1][1] if words else None

    def close(self):
        self._ends.set()
        self._reader.join()
        self._socket.close()
        os.unlink(self._path)


class NativePeer(LoggedProgram):
    """tunctl-fastpath with a config file of the given text, run in `folder` (its relative paths).
    `options` are further words of its command line, `environment` of its environment."""

    def __init__(self, namespace, folder, text, name="native", options=(), hide_openvpn=True,
                 watchdog_seconds=None, environment=None):
        folder = pathlib.Path(folder)
        (folder / f"{name}.conf").write_text(text)
        state = folder / f"{name}.state"
        state.mkdir(exist_ok=True)
        self.notify = NotifySocket(folder / f"{name}.notify", watchdog_seconds)
        command = [str(ENGINE), "--cd", str(folder), "--config", f"{name}.conf",
                   "--state-dir", str(state), *options]
        if hide_openvpn:
            command = ["unshare", "--mount", "sh", "-c", _WITHOUT_OPENVPN, "engine", *command]
        super().__init__("tunctl-fastpath", namespace.start, command, folder / f"{name}.log",
                         env={**os.environ, **(environment or {}), **self.notify.environment})

    def wait_started(self, timeout=10.0):
        self.wait_until(lambda: self.notify.last("READY"), "READY=1", timeout)

    def wait_connected(self, timeout=10.0):
        self.wait_until(lambda: (self.notify.last("STATUS") or "").startswith("CONNECTED"),
                        "STATUS=CONNECTED", timeout)

    def status(self):
        """The pairs of the last STATUS line as a dict; its first word as "state"."""
        words = (self.notify.last("STATUS") or "").split(" - ")[0].split()
        return {"state": words[0] if words else "", **dict(zip(words[1::2], words[2::2]))}

    def stop(self):
        status = super().stop()
        self.notify.close()
        return status
