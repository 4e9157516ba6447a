# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of the trial protocol on standard input and output."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time

MAX_LINE_BYTES = 1 << 20
_LONGEST_TEXT = 4000
# The parent waits two before it ends the process by a signal.
_SECONDS_TO_END = 1.0


def silence() -> None:
    """For a process beside the one that speaks: it has the same standard input and output."""
    sys.stdout.flush()
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


class Channel:
    """Standard output, taken away from everybody else."""

    def __init__(self):
        sys.stdout.flush()
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)

    def send(self, message: dict) -> None:
        line = (json.dumps(message, allow_nan=False) + "\n").encode("ascii")
        try:
            while line:
                line = line[self._out.write(line) :]
        except BrokenPipeError:
            _leave()

    def complain(self, text: str, fatal: bool = False) -> None:
        self.send({"type": "error", "text": clipped(text), "fatal": fatal})

    def log(self, text: str, level: str = "warning") -> None:
        self.send({"type": "log", "level": level, "text": clipped(text)})


class Inbox:
    """Standard input, read by a thread, so that a cancel and the parent's end are heard within a step."""

    def __init__(self):
        self._messages: queue.Queue = queue.Queue()
        self._cancelled: set = set()
        # Ctrl-C, a terminal that is gone, and a system that ends all processes of a group or a container
        # are for the parent, which decides what becomes of this process. A handler of your own stays.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for end in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(end) is signal.SIG_DFL:
                signal.signal(end, signal.SIG_IGN)
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> dict:
        return self._messages.get()

    def is_cancelled(self, trial) -> bool:
        return trial in self._cancelled

    def _read(self) -> None:
        with os.fdopen(os.dup(0), "rb") as stream:
            while True:
                line = _line_of(stream)
                if not line:
                    self._messages.put({"type": "bye"})
                    end_soon()
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            message = {"type": "problem", "text": "The line is not a JSON object: %.80r" % line}
        if message.get("type") != "cancel":
            self._messages.put(message)
        elif isinstance(message.get("id"), int):
            self._cancelled.add(message["id"])


def _line_of(stream) -> bytes:
    """Empty at the end; of a line that is too long what is no message, and nothing of its rest."""
    line = stream.readline(MAX_LINE_BYTES + 1)
    if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
        return line
    while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass
    return b"(more than 1 MiB) " + line[:40]


def end_soon() -> None:
    """For a thread that hears that nobody is there any more: what waits for a message ends by itself, with
    all that the script does at its end, and what is in the middle of a step is left."""
    time.sleep(_SECONDS_TO_END)
    _leave()


def _leave() -> None:
    # Workers of a data loader would look for their parent some seconds later.
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    os._exit(0)


def clipped(text: str) -> str:
    """No text of a framework makes a line longer than the protocol allows."""
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "..."
