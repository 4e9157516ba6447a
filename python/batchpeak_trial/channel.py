# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads and writes lines of the trial protocol on standard input and output."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import time

MAX_LINE_BYTES = 1 << 20
# As the other side does (core/trial/protocol.h).
HEARTBEATS_UNTIL_DEAD = 4
_LONGEST_TEXT = 4000
# The parent waits two seconds before it sends a signal.
_SECONDS_TO_END = 1.0


def silence() -> None:
    """Disconnects standard input and output of a process that shares them with the process of the protocol."""
    sys.stdout.flush()
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


class Channel:
    """Reserves standard output for the protocol: what others print goes to standard error."""

    def __init__(self):
        sys.stdout.flush()
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        self._sending = threading.Lock()
        os.dup2(2, 1)

    def send(self, message: dict) -> None:
        line = (json.dumps(message, allow_nan=False) + "\n").encode("ascii")
        try:
            with self._sending:
                while line:
                    line = line[self._out.write(line) :]
        except BrokenPipeError:
            _leave()

    def start_heartbeats(self, seconds: float) -> None:
        """Says every so many seconds that the process is there, even in the middle of a step."""

        def beat() -> None:
            while True:
                time.sleep(seconds)
                self.send({"type": "heartbeat"})

        threading.Thread(target=beat, daemon=True).start()

    def complain(self, text: str, fatal: bool = False) -> None:
        self.send({"type": "error", "text": clipped(text), "fatal": fatal})

    def log(self, text: str, level: str = "warning") -> None:
        self.send({"type": "log", "level": level, "text": clipped(text)})


class Inbox:
    """Reads standard input in a thread, so that a cancel and the end of the parent are noticed during a step."""

    def __init__(self):
        self._messages: queue.Queue = queue.Queue()
        self._cancelled: set = set()
        # Seconds of silence after which the link to the parent is dead; None: any silence is normal.
        self._longest_silence: float | None = None
        self._heard = 0.0
        # Signals from Ctrl-C, from a closed terminal, and from a system that ends all processes of a group or a
        # container reach the parent too, which decides when this process ends. The script's own handlers stay.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for end in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(end) is signal.SIG_DFL:
                signal.signal(end, signal.SIG_IGN)
        threading.Thread(target=self._read, daemon=True).start()

    def next(self) -> dict:
        return self._messages.get()

    def is_cancelled(self, trial) -> bool:
        return trial in self._cancelled

    def expect_heartbeats(self, seconds: float) -> None:
        """From now on, ends the process if nothing is heard for several heartbeats: a link that is cut reports no
        end."""
        if self._longest_silence is None:
            self._longest_silence = HEARTBEATS_UNTIL_DEAD * seconds
            self._heard = time.monotonic()
            threading.Thread(target=self._watch_silence, daemon=True).start()

    def _watch_silence(self) -> None:
        while (left := self._heard + self._longest_silence - time.monotonic()) > 0:
            time.sleep(left)
        _leave()

    def _read(self) -> None:
        with os.fdopen(os.dup(0), "rb") as stream:
            while True:
                line = _line_of(stream)
                self._heard = time.monotonic()
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
        if message.get("type") == "heartbeat":
            return
        if message.get("type") != "cancel":
            self._messages.put(message)
        elif isinstance(message.get("id"), int):
            self._cancelled.add(message["id"])


def _line_of(stream) -> bytes:
    """Returns the next line, empty at the end of the stream. For a line that is too long, it returns a text that
    is no message, and skips the rest."""
    line = stream.readline(MAX_LINE_BYTES + 1)
    if len(line) <= MAX_LINE_BYTES or line.endswith(b"\n"):
        return line
    while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
        pass
    return b"(more than 1 MiB) " + line[:40]


def end_soon() -> None:
    """Ends the process after the parent has ended. A main thread that waits for a message has time to end by
    itself, with the script's cleanup; a running step is abandoned."""
    time.sleep(_SECONDS_TO_END)
    _leave()


def _leave() -> None:
    # Workers of a data loader would notice only seconds later that their parent has ended.
    if "multiprocessing" in sys.modules:
        for child in sys.modules["multiprocessing"].active_children():
            child.kill()
    os._exit(0)


def clipped(text: str) -> str:
    """Shortens a framework's text, so that the line is not longer than the protocol allows."""
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + "..."
