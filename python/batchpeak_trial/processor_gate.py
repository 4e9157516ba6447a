# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches whether a trial had the CPU for itself, as batchpeak-worker does: app/worker/processor_gate.cpp."""

from __future__ import annotations

import hashlib
import math
import os
import resource
import time
from dataclasses import dataclass, field
from pathlib import Path

# Beside other busy programs, the steps of one size were observed to take between 84 and 530 ms; trials whose
# threads got nine tenths of their time agreed.
_UNDISTURBED_SHARE = 0.9
# The middle 60 % of the steps determine the time of a trial, so a disturbance of fewer steps than every fifth
# cannot move it.
_MOST_MAJOR_FAULTS_PER_STEP = 0.2
# Probes at a steady clock differ by less than this; otherwise their noise would become noise of the trials.
_LEAST_SLOWED = 0.03
# Only the clock changes the time to hash this: about 70 us, with and without busy programs, and 90 % of readings
# agree within 0.5 %. The shortest counts, since an interrupt lengthens a reading.
_PROBED, _PROBES = bytes(128 << 10), 5


@dataclass
class GateReport:
    """What gates report. readings are fields of a result; disturbances become flags that begin with "disturbed";
    notes become flags unchanged."""

    readings: dict = field(default_factory=dict)
    disturbances: list = field(default_factory=list)
    notes: list = field(default_factory=list)


@dataclass(frozen=True)
class _Load:
    busy_seconds: float
    processors: int


@dataclass(frozen=True)
class _Reading:
    wall: float
    own: float
    helping: float
    minor: int
    major: int
    load: _Load | None
    probe: float


def _numbers_in(ranges: str) -> set[int]:
    numbers: set[int] = set()
    for part in ranges.split(","):
        first, _, last = part.strip().partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def processor_load(root: Path = Path("/")) -> _Load | None:
    """Returns the load of the CPUs that this process may run on; None if the kernel does not report it."""
    try:
        status = (root / "proc/self/status").read_text()
        lines = (root / "proc/stat").read_text().splitlines()
        allowed = _numbers_in(status.split("Cpus_allowed_list:", 1)[1].split("\n", 1)[0])
        columns = [line.split() for line in lines if line.startswith("cpu") and line[3:4].isdigit()]
        own = [row for row in columns if int(row[0][3:]) in allowed]
        # user nice system idle iowait irq softirq steal; user and nice include the fields after these.
        busy = sum(int(row[place]) for row in own for place in (1, 2, 3, 6, 7, 8))
    except (OSError, IndexError, ValueError):
        return None
    return _Load(busy / os.sysconf("SC_CLK_TCK"), len(own)) if own and busy else None


def descendant_seconds(root: Path = Path("/")) -> float:
    """Returns the CPU seconds of all descendants of this process."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = ended.ru_utime + ended.ru_stime
    waiting = _children(root, "self")
    while waiting:
        process = waiting.pop()
        try:
            # The fields after the name, which may contain anything: the process's own time, and that of children
            # that it has waited for.
            fields = (root / "proc" / process / "stat").read_text().rpartition(")")[2].split()
            seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError):
            continue
        waiting += _children(root, process)
    return seconds


def family_seconds() -> float:
    """Returns the CPU seconds of this process and its descendants."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime + descendant_seconds()


def probe_seconds() -> float:
    """Returns the CPU seconds that the calling thread needs for a short, fixed piece of work. It takes longer if the
    CPU's clock is lower or the host of a virtual machine gives it less time, but not if the thread waits."""

    def once() -> float:
        begin = time.thread_time()
        hashlib.sha256(_PROBED)
        return time.thread_time() - begin

    return min(once() for _ in range(_PROBES))


def _children(root: Path, process: str) -> list[str]:
    found: list[str] = []
    for thread in (root / "proc" / process / "task").glob("*/children"):
        try:
            found += thread.read_text().split()
        except OSError:
            continue
    return found


class ProcessorGate:
    """A step that keeps some of its threads waiting is not disturbed by that: only the time that others can have
    taken from it counts. Time that is lost to a lower clock counts as theirs: heat, a power limit and the host of
    a virtual machine lower the clock for everything that runs there.

    threads is the number of threads that a step can keep busy. waits_elsewhere: the step may wait for an unknown
    device, so unused time means nothing. launches: the threads launch the work of a GPU, so what others take from
    them is not a share of the step. Processes that this one has started work for the step, as those of a data
    loader do; others() returns the CPU seconds of further such processes. Tests replace probe."""

    def __init__(
        self,
        threads: int,
        waits_elsewhere: bool = False,
        launches: bool = False,
        root: Path = Path("/"),
        others=lambda: 0.0,
        probe=probe_seconds,
    ):
        self._threads, self._waits_elsewhere, self._root = threads, waits_elsewhere, root
        self._others, self._probe = others, probe
        self._tells_contention = not (waits_elsewhere or launches)
        # The shortest probe of all trials so far.
        self._least_probe = math.inf

    def begin(self) -> None:
        self._wall = self._own = self._helping = self._slowed = 0.0
        self._minor = self._major = 0
        self._busy: float | None = 0.0
        self._contention: float | None = None
        self._variance, self._processors = 0.0, 0
        self.resume()

    def resume(self) -> None:
        self._before = self._read()

    def look(self) -> None:
        """Does nothing: the counters cover all the time since resume()."""

    def pause(self) -> None:
        before, after = self._before, self._read()
        self._before = None
        self._wall += after.wall - before.wall
        self._own += after.own - before.own
        self._helping += after.helping - before.helping
        self._minor += after.minor - before.minor
        self._major += after.major - before.major
        wall, slowed = after.wall - before.wall, self._slowed_share(before, after)
        self._slowed += slowed * wall
        self._contention = None
        if after.load and before.load and wall > 0:
            own = (after.own - before.own) / wall
            busy = after.load.busy_seconds - before.load.busy_seconds - (after.helping - before.helping)
            foreign = max(0.0, busy / wall - own)
            self._contention = self._contended(own, foreign, after.load.processors, slowed)
        if after.load and before.load and self._busy is not None:
            self._busy += after.load.busy_seconds - before.load.busy_seconds
            self._processors = after.load.processors
            # A count of whole ticks may be off by one on each CPU, independently in each interval.
            self._variance += (self._processors / os.sysconf("SC_CLK_TCK")) ** 2
        else:
            self._busy = None

    def contention(self) -> float | None:
        """Returns the share of the usable time of the steps between the last resume() and pause() that other programs
        took; None if it is unknown."""
        return self._contention if self._tells_contention else None

    def _taken(self, own: float, foreign: float, processors: int) -> float:
        """Returns what others took from the trial [CPUs]: at most what both together want beyond the CPUs that
        exist."""
        lacking = self._threads * (1 - min(1.0, own / self._threads))
        return max(0.0, min(lacking, self._threads + foreign - processors))

    def _slowed_share(self, before: _Reading, after: _Reading) -> float:
        """Returns the share by which the clock was below its best."""
        probe = (before.probe + after.probe) / 2
        slowed = 1 - self._least_probe / probe if probe > 0 else 0.0
        return slowed if slowed >= _LEAST_SLOWED else 0.0

    def _contended(self, own: float, foreign: float, processors: int, slowed: float) -> float:
        """Returns the share of the time of a step's threads that others or a lower clock took."""
        left = 1 - self._taken(own, foreign, processors) / self._threads
        return 1 - left * (1 - slowed)

    def end(self, steps: int, report: GateReport) -> None:
        if self._before:
            self.pause()
        if self._wall > 0 and steps > 0:
            self._judge_time(report)
            self._judge_pages(steps, report)

    def _read(self) -> _Reading:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        own = usage.ru_utime + usage.ru_stime
        helping = descendant_seconds(self._root) + self._others()
        probe = self._probe() if self._tells_contention else 0.0
        if probe > 0:
            self._least_probe = min(self._least_probe, probe)
        return _Reading(
            wall=time.perf_counter(),
            own=own,
            helping=helping,
            minor=usage.ru_minflt,
            major=usage.ru_majflt,
            load=processor_load(self._root),
            probe=probe,
        )

    def _judge_time(self, report: GateReport) -> None:
        own = self._own / self._wall
        share = min(1.0, own / self._threads)
        if share > 0:
            report.readings["processor_share"] = share
        lacking = self._threads * (1 - share)
        most_lacking = self._threads * (1 - _UNDISTURBED_SHARE)
        if self._busy is None:
            if lacking > most_lacking and not self._waits_elsewhere:
                given = "%.0f %% of the processor was given to the trial"
                report.disturbances.append(given % (100 * share))
            return
        foreign = max(0.0, (self._busy - self._helping) / self._wall - own)
        report.readings["foreign_processors"] = foreign
        if self._tells_contention:
            slowed = self._slowed / self._wall
            report.readings["contention"] = self._contended(own, foreign, self._processors, slowed)
        surely_foreign = foreign - math.sqrt(self._variance) / self._wall
        if self._taken(own, surely_foreign, self._processors) > most_lacking:
            report.disturbances.append(
                "other programs used %.1f of %d processors" % (foreign, self._processors)
            )

    def _judge_pages(self, steps: int, report: GateReport) -> None:
        report.readings["minor_page_faults_per_step"] = self._minor / steps
        report.readings["major_page_faults_per_step"] = self._major / steps
        if self._major / steps >= _MOST_MAJOR_FAULTS_PER_STEP:
            report.disturbances.append("%d pages of memory were read from a disk" % self._major)
