# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The parent's side of the trial protocol, for tests of programs that speak it."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "python"


def running(pids: list[int], timeout: float = 0.0) -> list[int]:
    """Waits for processes to end; returns those that have not."""
    end = time.monotonic() + timeout
    while True:
        left = [pid for pid in pids if _is_running(pid)]
        if not left or time.monotonic() >= end:
            return left
        time.sleep(0.05)


def _is_running(pid: int) -> bool:
    try:
        # A zombie has ended; its parent has not waited for it.
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Talk:
    """Runs a program, exchanges messages with it, and ends it with the test: this Python, or another program."""

    def __init__(
        self,
        *arguments: str,
        environment: dict[str, str] | None = None,
        folder=None,
        program: str = sys.executable,
    ):
        path = os.pathsep.join(filter(None, (str(PACKAGE), os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        )
        self._lines: queue.Queue = queue.Queue()
        self._errors: list[bytes] = []
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self._errors.append(line)

    def say_line(self, line: bytes) -> None:
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def say(self, kind: str, **fields) -> None:
        self.say_line((json.dumps({"type": kind, **fields}) + "\n").encode())

    def next(self, timeout: float = 120.0) -> dict | None:
        """Returns the next message, or None at the end."""
        try:
            return self._lines.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError("Nothing was said. On standard error: " + self.errors()) from None

    def hear(self, kind: str, timeout: float = 120.0) -> dict:
        """Returns the next message of a kind; skips steps and logs before it."""
        end = time.monotonic() + timeout
        while True:
            message = self.next(max(0.1, end - time.monotonic()))
            if message is None:
                raise AssertionError("The program has ended. On standard error: " + self.errors())
            if message["type"] == kind:
                return message
            if message["type"] not in ("step", "log"):
                raise AssertionError("In place of %s came %r" % (kind, message))

    def ask(self, kind: str, timeout: float = 120.0, **fields) -> dict:
        self.say(kind, **fields)
        return self.hear({"hello": "hello", "load": "loaded"}.get(kind, "result"), timeout)

    def descendants(self) -> list[int]:
        """Returns the PIDs of the program's running descendants."""
        found = [self.process.pid]
        for pid in found:
            for children in Path("/proc", str(pid), "task").glob("*/children"):
                with contextlib.suppress(OSError):
                    found += map(int, children.read_text().split())
        return found[1:]

    def exit_code(self, timeout: float = 20.0) -> int:
        return self.process.wait(timeout)

    def errors(self) -> str:
        return b"".join(self._errors).decode(errors="replace")

    def end(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        for thread in self._threads:
            thread.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
