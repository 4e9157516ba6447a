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


class _Followed:
    """An exploration whose events and output are files."""

    def __init__(self, events: Path, output: Path):
        self.events_path, self._output = events, output

    @property
    def output(self) -> str:
        return self._output.read_text() if self._output.exists() else ""

    def events(self, name: str = "") -> list[dict]:
        """Returns the events so far, of one name or all."""
        try:
            lines = self.events_path.read_text().splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            try:
                found.append(json.loads(line))
            except ValueError:
                pass  # half of a line that is being written
        return [event for event in found if not name or event["event"] == name]

    def trials(self) -> list[dict]:
        return self.events("trial_finished")

    def has_ended(self) -> bool:
        raise NotImplementedError

    def wait_for(self, holds: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        try:
            wait_until(lambda: holds() or self.has_ended(), what, seconds)
        except TimeoutError as error:
            raise AssertionError("%s. It said:\n%s" % (error, self.output)) from None
        if not holds():
            raise AssertionError("%s did not happen before the end. It said:\n%s" % (what, self.output))

    def wait_for_trials(self, count: int) -> None:
        self.wait_for(lambda: len(self.trials()) >= count, "%d trials" % count)

    def result(self, code: int) -> Result:
        finished = self.events("finished")
        return Result(code, finished[-1] if finished else {}, self.trials(), self.output)


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "XDG_DATA_HOME": str(folder / "data"), "QT_QPA_PLATFORM": "offscreen"}


class Exploration(_Followed):
    """`batchpeak explore` in the background, followed by its events."""

    def __init__(
        self,
        programs: Programs,
        folder: Path,
        *words: str,
        worker: str = "",
        config: Path | None = EXAMPLE,
        before: tuple[str, ...] = (),
        python: Path | None = None,
    ):
        """config is None for an exploration that is resumed; before is what the program is started by; python
        replaces the worker."""
        super().__init__(folder / "events.jsonl", folder / "output.txt")
        self.events_path.unlink(missing_ok=True)
        steps = ["--with", "python=%s" % python] if python else ["--worker", "%s %s" % (programs.fake_worker, worker)]
        asked = [str(config), *steps] if config else []
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                [*before, programs.batchpeak, "explore", *asked, "--events", str(self.events_path), *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment(folder),
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        return self.process.poll() is not None

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
        return self.result(code)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class BatchJob(_Followed):
    """`batchpeak submit`, and the job that runs then."""

    def __init__(self, programs: Programs, folder: Path, *words: str, worker: str = ""):
        self.folder = folder
        shutil.copy(EXAMPLE, folder)
        self.config = folder / EXAMPLE.name
        answer = run(
            programs.batchpeak,
            "submit",
            str(self.config),
            "--worker",
            "%s %s" % (programs.fake_worker, worker),
            *words,
            cwd=folder,
            env=environment(folder),
        )
        # "job 17", "script PATH", "log PATH" and "events PATH"; warnings are sentences.
        named = dict(line.split(maxsplit=1) for line in answer.splitlines() if " " in line)
        super().__init__(Path(named["events"]), Path(named["log"]))
        self.id = named["job"]

    def state(self) -> str:
        return run("squeue", "--noheader", "--states=all", "--jobs", self.id, "--format", "%T").strip()

    def has_ended(self) -> bool:
        return self.state() in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT")

    def end(self, seconds: float = 150.0) -> Result:
        self.wait_for(self.has_ended, "the end of the job", seconds)
        return self.result(0 if self.state() == "COMPLETED" else 1)


class Watching:
    """`batchpeak watch` in the background."""

    def __init__(self, programs: Programs, folder: Path, *words: str):
        self._output = folder / ("watched-%d.txt" % time.monotonic_ns())
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                [programs.batchpeak, "watch", *words],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment(folder),
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._output.read_text()

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        try:
            wait_until(lambda: text in self.output or self.process.poll() is not None, text, seconds)
        except TimeoutError as error:
            raise AssertionError("%s. It said:\n%s" % (error, self.output)) from None
        if text not in self.output:
            raise AssertionError("It ended without %r. It said:\n%s" % (text, self.output))

    def end(self, seconds: float = 60.0) -> int:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError("It did not end. It said:\n" + self.output) from None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


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
