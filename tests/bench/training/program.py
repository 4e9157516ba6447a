# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs batchpeak and reads its events."""

import json
import os
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

# Exit code of a run in which not even one sample fits.
NOTHING_FITS = 2


@dataclass(frozen=True)
class Event:
    # Seconds since the program was started.
    seconds: float
    fields: dict

    def __getitem__(self, field: str):
        return self.fields[field]


@dataclass(frozen=True)
class Run:
    """Result of one run of the program."""

    events: list[Event] = field(default_factory=list)
    fits: bool = True

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event["event"] == name]

    def finished(self) -> Event:
        """Returns the last event, which says how an exploration or a training ended."""
        return self.events[-1]


class Program:
    """Runs batchpeak. All runs share a history of the bench, not the user's.

    :param folder: folder for the history and for generated configs
    """

    def __init__(self, path: Path, common: list[str], limit_seconds: float, folder: Path):
        self._path = path
        self._common = common
        self._limit_seconds = limit_seconds
        self._folder = folder
        self._environment = os.environ | {"XDG_DATA_HOME": str(folder)}

    def batch_size(self, config: Path) -> int:
        """Returns the samples of one optimizer step on one device."""
        text = self._own_layout(config)
        return -(-_number(text, "batch_size") // _number(text, "devices"))

    def with_batch_size(self, config: Path, batch_size: int) -> Path:
        """Writes a config of the same run on one device with another batch size; returns its file."""
        text = re.sub(r"^batch_size: .*", f"batch_size: {batch_size}", self._own_layout(config), flags=re.M)
        text = re.sub(r"^devices: .*", "devices: 1", text, flags=re.M)
        file = self._folder / f"batch-of-{batch_size}.yaml"
        file.write_text(re.sub(r"^micro_batch_size: .*", "micro_batch_size: auto", text, flags=re.M))
        return file

    def _own_layout(self, config: Path) -> str:
        command = [str(self._path), "inspect", "--as-yaml", str(config)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def run(self, arguments: list[str]) -> Run:
        """Runs a command. Raises RuntimeError with the program's messages if it ends with another code than 0 or
        NOTHING_FITS."""
        command = [str(self._path), *arguments, *self._common, "--events", "-", "--quiet"]
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+") as complaints:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=complaints, text=True, env=self._environment
            )
            # batchpeak ends its worker when it is terminated.
            guard = threading.Timer(self._limit_seconds, process.terminate)
            guard.start()
            try:
                events = [Event(time.monotonic() - begin, json.loads(line)) for line in process.stdout]
                code = process.wait()
            finally:
                guard.cancel()
                process.terminate()
            if code not in (0, NOTHING_FITS):
                complaints.seek(0)
                said = complaints.read().strip().splitlines()[-5:]
                raise RuntimeError(f"{' '.join(command)} ended with {code}: {' '.join(said)}")
        return Run(events, code == 0)


def _number(text: str, key: str) -> int:
    return int(re.search(rf"^{key}: (\d+)", text, re.M)[1])
