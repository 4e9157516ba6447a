# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what a place costs and what several devices gain, interleaved, with workers that really wait."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from .desk import Exploration, Programs, Result

# The wait of a typical trial, and a scatter that a search has to average out.
TRIAL_MILLISECONDS = 3000
NOISE = 0.03


def seconds_of(programs: Programs, *words: str, worker: str) -> tuple[float, float, Result]:
    """Returns the seconds from the start to the first trial and to the end, and the result."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        exploration = Exploration(programs, Path(folder), "--fresh", *words, worker=worker)
        exploration.wait_for_trials(1)
        first = time.monotonic() - began
        result = exploration.end(900)
        if result.code:
            raise RuntimeError(result.output)
        return first, time.monotonic() - began, result


def measure_overhead(programs: Programs, rounds: int) -> None:
    """Compares explorations of 40 trials that take no time: what is left is the place's share of a trial."""
    trials = ("--max-trials", "40", "--confidence", "99", "--tolerance", "0.1", "--no-verify", "--device", "cpu")
    places = {"this computer": (), "ssh": ("--on", "ssh:n1"), "slurm": ("--on", "slurm")}
    each: dict[str, list[float]] = {name: [] for name in places}
    for _ in range(rounds):
        for name, words in places.items():
            first, whole, result = seconds_of(programs, *trials, *words, worker="")
            each[name].append((whole - first) / (len(result.trials) - 1) * 1000)
    base = statistics.median(each["this computer"])
    for name, values in each.items():
        print(
            "%-14s %6.1f ms a trial, %+6.1f ms (median of %d, %.1f to %.1f)"
            % (name, statistics.median(values), statistics.median(values) - base, rounds, min(values), max(values))
        )


def measure_devices(programs: Programs, rounds: int) -> None:
    """Compares one device with four on two nodes."""
    places = {
        "1 device": ("--on", "slurm -N1", "--device", "cuda:0"),
        "4 devices": ("--on", "slurm -N2", "--device", "cuda"),
    }
    worker = "trial-time=%d noise=%g" % (TRIAL_MILLISECONDS, NOISE)
    each: dict[str, list[float]] = {name: [] for name in places}
    for _ in range(rounds):
        for name, words in places.items():
            _, seconds, result = seconds_of(programs, *words, worker=worker)
            each[name].append(seconds)
            print("%-10s %6.1f s, %d trials, size %s" % (name, seconds, len(result.trials), result.size))
    ratio = statistics.median(each["4 devices"]) / statistics.median(each["1 device"])
    print("4 devices take %.0f %% of the time of 1" % (100 * ratio))


def run(programs: Programs, rounds: int) -> None:
    measure_overhead(programs, rounds)
    measure_devices(programs, rounds)
