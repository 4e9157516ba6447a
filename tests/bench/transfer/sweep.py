# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes around a recommended one, in the stack of transformers: each visited in turn with it, in one process."""

from __future__ import annotations

import math
import time

from python.talk import Talk

from .regret import may_lead, rate

# Of the recommended size. Below an eighth the overhead of each operation shows in any stack.
_FACTORS = (1 / 8, 1 / 4, 1 / 2, 1 / math.sqrt(2), 1, math.sqrt(2), 2, 4)
_LONGEST_SECONDS = 3600.0
# Of the timed steps of a visit, at least.
_VISIT_SECONDS = 0.5


def sizes_around(size: int) -> list[int]:
    return sorted({max(1, round(size * factor)) for factor in _FACTORS})


class RunsNot(RuntimeError):
    """The recommended size, in that stack."""


class Sweep:
    """Of one load. Sizes that do not fit drop out.

    On the CPU each size has a process of its own, as a trainer's would be. What blocks malloc keeps depends on
    all that were freed before, so that a size after larger ones can cost far fewer page faults than alone. On
    a GPU, whose memory several would share, there is one."""

    def __init__(self, python: str, device: str, load: dict, size: int, batch: int):
        self._python, self._device, self._load = python, device, _fields(load)
        self._batch, self._size = batch, size
        self._talks: dict[int, Talk] = {}
        self._ids = 0
        self.approximations: list[str] = []
        self.seconds: dict[int, float] = {}
        self.leads: dict[int, list[float]] = {}

    def end(self) -> None:
        for talk in self._talks.values():
            talk.end()

    def run(self, seconds: float) -> None:
        """Rounds until so much time is used, each of all sizes that may be the fastest, and two at least.

        Raises RunsNot where not even the recommended size can be run."""
        others = [size for size in sizes_around(self._size) if self._fits(size) and size != self._size]
        if self._size not in self.seconds:
            raise RunsNot("the recommended size %d does not run in Python" % self._size)
        begin, rounds = time.monotonic(), 0
        while rounds < 2 or time.monotonic() - begin < seconds:
            # Neighbours meet in another order in each round.
            order = others if rounds % 2 == 0 else others[::-1]
            for place in range(0, len(order), 3):
                self._compare(order[place : place + 3])
            rounds += 1
            if rounds >= 2:
                others = [size for size in others if may_lead(self.leads[size])]
            if not others:
                return

    def _fits(self, size: int) -> bool:
        result = self._visit(size, steps=1, untimed_steps=0)
        if result["outcome"] == "ok":
            self.seconds[size] = result["compared"][0]["visits"][0]["seconds"]
        return result["outcome"] == "ok"

    def _compare(self, others: list[int]) -> None:
        sizes = [self._size, *others]
        slowest = max(self.seconds[size] for size in sizes)
        steps = max(1, min(3, math.ceil(_VISIT_SECONDS / slowest)))
        rates: dict[int, list[float]] = {size: [] for size in sizes}
        for size in sizes + sizes[::-1]:
            result = self._visit(size, steps, untimed_steps=1 if slowest < _VISIT_SECONDS else 0)
            if result["outcome"] != "ok":
                raise RuntimeError("a visit of %d ended as %s" % (size, result["outcome"]))
            optimizer = result.get("optimizer_seconds", 0.0)
            seconds = _typical(result["compared"][0]["visits"][0]["step_seconds"])
            rates[size].append(rate(size, self._batch, seconds, optimizer))
        for size in others:
            pairs = zip(rates[size], rates[self._size])
            self.leads.setdefault(size, []).extend(math.log(own / best) for own, best in pairs)

    def _visit(self, size: int, steps: int, untimed_steps: int) -> dict:
        # No trial: it would go on until it is warm.
        self._ids += 1
        result = self._talk_of(size).ask(
            "compare",
            _LONGEST_SECONDS,
            id=self._ids,
            micro_batch_sizes=[size],
            visits=1,
            steps=steps,
            untimed_steps=untimed_steps,
            time_limit=_LONGEST_SECONDS,
        )
        if result.get("last"):
            raise RuntimeError("the worker lost its device: %s" % result.get("text"))
        return result

    def _talk_of(self, size: int) -> Talk:
        key = size if self._device == "cpu" else 0
        if key not in self._talks:
            talk = Talk("-m", "batchpeak_trial.transformers", "--device", self._device, program=self._python)
            self._talks[key] = talk
            talk.ask("hello", protocol=2)
            self.approximations = talk.ask("load", **self._load).get("approximations", [])
        return self._talks[key]


def _fields(message: dict) -> dict:
    return {name: value for name, value in message.items() if name != "type"}


def _typical(seconds: list[float]) -> float:
    return sorted(seconds)[(len(seconds) - 1) // 2]
