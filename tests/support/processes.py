# SPDX-License-Identifier: Apache-2.0
"""A program under test whose output is kept in a file and can be waited for."""

import time

from netns import stop


class ProgramError(AssertionError):
    """The program did not do what the test waits for; its log is in the message."""


class LoggedProgram:
    """Owns one child and its log file. Use as a context manager."""

    def __init__(self, title, spawn, command, log_path, **options):
        self.title = title
        self.log_path = log_path
        with open(log_path, "wb") as log:
            self.child = spawn(command, stdout=log, stderr=log, **options)

    @property
    def pid(self):
        return self.child.pid

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_for_line(self, *texts, timeout=10.0):
        """Waits until one of the texts stands in the log and returns it."""
        return self.wait_until(lambda: next((text for text in texts if text in self.log()), None),
                               " or ".join(map(repr, texts)), timeout)

    def wait_until(self, condition, what, timeout=10.0):
        end = time.monotonic() + timeout
        while True:
            ended = self.child.poll() is not None  # asked first: its last words count
            if value := condition():
                return value
            if ended:
                self.fail(f"ended with {self.child.returncode} before {what}")
            if time.monotonic() > end:
                self.fail(f"no {what} within {timeout:g} s")
            time.sleep(0.01)

    def fail(self, why):
        raise ProgramError(f"{self.title}: {why}\n--- its log:\n{self.log()[-4000:]}---")

    def stop(self):
        return stop(self.child)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
