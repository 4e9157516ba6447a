# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures sizes around a recommended one with transformers: each is visited alternately with it, in one process.

Times of different processes differ by a few percent at any size, because of the placement of their memory."""

from __future__ import annotations

import math
import time

from python.talk import Talk

from .regret import may_lead, rate

# Factors of the recommended size. Below an eighth, the overhead of each operation is visible in any stack.
_FACTORS = (1 / 8, 1 / 4, 1 / 2, 1 / math.sqrt(2), 1, math.sqrt(2), 2, 4)
_LONGEST_SECONDS = 3600.0
# Minimum time of the timed steps of a visit.
_VISIT_SECONDS = 0.5


def sizes_around(size: int) -> list[int]:
    return sorted({max(1, round(size * factor)) for factor in _FACTORS})


class RunsNot(RuntimeError):
    """Raised if the recommended size does not run in the stack."""


class Sweep:
    """A sweep of one load. Sizes that do not fit are left out."""

    def __init__(self, python: str, device: str, load: dict, size: int, batch: int):
        self._batch, self._size = batch, size
        self._talk = Talk("-m", "batchpeak_trial.transformers", "--device", device, program=python)
        self._talk.ask("hello", protocol=2)
        self.approximations = self._talk.ask("load", **_fields(load)).get("approximations", [])
        self._ids = 0
        self.seconds: dict[int, float] = {}
        self.leads: dict[int, list[float]] = {}

    def end(self) -> None:
        self._talk.end()

    def run(self, seconds: float) -> None:
        """Runs rounds until the time is used up, at least two. Each visits all sizes that may be the fastest.

        Raises RunsNot if the recommended size does not run."""
        others = [size for size in sizes_around(self._size) if self._fits(size) and size != self._size]
        if self._size not in self.seconds:
            raise RunsNot("the recommended size %d does not run in Python" % self._size)
        begin, rounds = time.monotonic(), 0
        while rounds < 2 or time.monotonic() - begin < seconds:
            # Reverses the order in every other round.
            order = others if rounds % 2 == 0 else others[::-1]
            for place in range(0, len(order), 3):
                self._compare(order[place : place + 3])
            rounds += 1
            if rounds >= 2:
                others = [size for size in others if may_lead(self.leads[size])]
            if not others:
                return

    def _fits(self, size: int) -> bool:
        # A comparison instead of a trial, which would take steps until it has warmed up.
        result = self._ask("compare", micro_batch_sizes=[size], visits=1, steps=1, untimed_steps=0)
        if result["outcome"] == "ok":
            self.seconds[size] = result["compared"][0]["visits"][0]["seconds"]
        return result["outcome"] == "ok"

    def _compare(self, others: list[int]) -> None:
        sizes = [self._size, *others]
        slowest = max(self.seconds[size] for size in sizes)
        result = self._ask(
            "compare",
            micro_batch_sizes=sizes,
            visits=2,
            steps=max(1, min(3, math.ceil(_VISIT_SECONDS / slowest))),
            untimed_steps=1 if slowest < _VISIT_SECONDS else 0,
        )
        if result["outcome"] != "ok":
            raise RuntimeError("a comparison of %s ended as %s" % (sizes, result["outcome"]))
        optimizer = result.get("optimizer_seconds", 0.0)
        rates = {
            entry["micro_batch_size"]: [
                rate(entry["micro_batch_size"], self._batch, _typical(visit["step_seconds"]), optimizer)
                for visit in entry["visits"]
            ]
            for entry in result["compared"]
        }
        for size in others:
            pairs = zip(rates[size], rates[self._size])
            self.leads.setdefault(size, []).extend(math.log(own / best) for own, best in pairs)

    def _ask(self, kind: str, **fields) -> dict:
        self._ids += 1
        fields = {"time_limit": _LONGEST_SECONDS, **fields}
        result = self._talk.ask(kind, _LONGEST_SECONDS, id=self._ids, **fields)
        if result.get("last"):
            raise RuntimeError("the worker lost its device: %s" % result.get("text"))
        return result


def _fields(message: dict) -> dict:
    return {name: value for name, value in message.items() if name != "type"}


def _typical(seconds: list[float]) -> float:
    return sorted(seconds)[(len(seconds) - 1) // 2]
