# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs at the desk: explorations, what they say, and what they leave."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .namespaces import run
from .servers import wait_until

EXAMPLE = Path(__file__).resolve().parents[2] / "resources" / "examples" / "gpt2-tiny.yaml"


@dataclass
class Programs:
    batchpeak: str
    fake_worker: str


def events_in(path: Path, name: str) -> list[dict]:
    """Returns the events so far, of one name or all."""
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except ValueError:
            pass  # half of a line that is being written
    return [event for event in found if not name or event["event"] == name]


class Exploration:
    """`batchpeak explore` in the background, followed by its events."""

    def __init__(
        self,
        programs: Programs,
        folder: Path,
        *words: str,
        worker: str = "",
        config: Path | None = EXAMPLE,
        before: tuple[str, ...] = (),
    ):
        """config is None for an exploration that is resumed; before is what the program is started by."""
        self._events = folder / "events.jsonl"
        self._output = folder / "output.txt"
        self._events.unlink(missing_ok=True)
        asked = [str(config), "--worker", "%s %s" % (programs.fake_worker, worker)] if config else []
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                [*before, programs.batchpeak, "explore", *asked, "--events", str(self._events), *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, "XDG_DATA_HOME": str(folder / "data"), "QT_QPA_PLATFORM": "offscreen"},
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._output.read_text()

    def events(self, name: str = "") -> list[dict]:
        return events_in(self._events, name)

    def trials(self) -> list[dict]:
        return self.events("trial_finished")

    def wait_for(self, holds: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        try:
            wait_until(lambda: holds() or self.process.poll() is not None, what, seconds)
        except TimeoutError as error:
            raise AssertionError("%s. It said:\n%s" % (error, self.output)) from None
        if not holds():
            raise AssertionError("%s did not happen before the end. It said:\n%s" % (what, self.output))

    def wait_for_trials(self, count: int) -> None:
        self.wait_for(lambda: len(self.trials()) >= count, "%d trials" % count)

    def wait_in_trial(self, number: int) -> None:
        """Waits until the trial of that number runs."""
        self.wait_for(
            lambda: any(event["trial"] >= number for event in self.events("trial_started"))
            and len(self.trials()) < len(self.events("trial_started")),
            "a running trial %d" % number,
        )

    def end(self, seconds: float = 90.0) -> Result:
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("It did not end. It said:\n" + self.output) from None
        finished = self.events("finished")
        return Result(code, finished[-1] if finished else {}, self.trials(), self.output)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class BatchJob:
    """`batchpeak submit`, and the job that runs then."""

    def __init__(self, programs: Programs, folder: Path, *words: str, worker: str = ""):
        self.folder = folder
        shutil.copy(EXAMPLE, folder)
        self.config = folder / EXAMPLE.name
        answer = run(
            programs.batchpeak, "submit", str(self.config), "--worker", "%s %s" % (programs.fake_worker, worker), *words,
            cwd=folder,
            env={**os.environ, "XDG_DATA_HOME": str(folder / "data"), "QT_QPA_PLATFORM": "offscreen"},
        )
        named = dict(line.split(maxsplit=1) for line in answer.splitlines() if line.split()[0] in ("job", "log", "events"))
        self.id, self._log, self._events = named["job"], Path(named["log"]), Path(named["events"])

    @property
    def output(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def events(self, name: str) -> list[dict]:
        return events_in(self._events, name)

    def trials(self) -> list[dict]:
        return self.events("trial_finished")

    def state(self) -> str:
        return run("squeue", "--noheader", "--states=all", "--jobs", self.id, "--format", "%T").strip()

    def wait_for(self, holds: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        try:
            wait_until(holds, what, seconds)
        except TimeoutError as error:
            raise AssertionError("%s. It said:\n%s" % (error, self.output)) from None

    def end(self, seconds: float = 150.0) -> Result:
        self.wait_for(lambda: self.state() in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT"), "the end of the job", seconds)
        finished = self.events("finished")
        code = 0 if self.state() == "COMPLETED" else 1
        return Result(code, finished[-1] if finished else {}, self.trials(), self.output)


@dataclass
class Result:
    code: int
    finished: dict
    trials: list[dict]
    output: str

    @property
    def size(self) -> int | None:
        return self.finished.get("micro_batch_size")

    @property
    def numbers(self) -> tuple:
        """What an interruption must not change. The estimate of the speed follows the clock in its last digits."""
        speeds = {
            "%.6g" % trial["samples_per_second"]
            for trial in self.trials
            if trial["outcome"] == "ok" and trial["micro_batch_size"] == self.size
        }
        estimate = "%.3g" % (self.finished.get("samples_per_second") or 0)
        return self.finished.get("status"), self.size, estimate, speeds

    def lost(self) -> list[dict]:
        return [trial for trial in self.trials if trial["outcome"] not in ("ok", "oom")]


def processes(*names: str) -> list[str]:
    """Returns the command lines of running programs that contain one of the names."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if int(folder.name) != os.getpid() and any(name in words for name in names):
            found.append(words)
    return found


def wait_for_silence(seconds: float, *names: str) -> list[str]:
    """Waits until no such program runs; returns those that still do."""
    end = time.monotonic() + seconds
    while (left := processes(*names)) and time.monotonic() < end:
        time.sleep(0.1)
    return left
