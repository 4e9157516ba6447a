# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares sizes by visiting them in turn in one process, as app/worker/comparison_runner.cpp does."""

from __future__ import annotations

from .requests import Bench, RunningRequest, typical_fields

# The first step pays for lazy initialization, and two more let caches settle; each size has run before.
_STEPS_AT_FIRST = 3


class RunningComparison(RunningRequest):
    def __init__(self, request: dict, bench: Bench):
        super().__init__(request, bench)
        self._visits, self._steps = request.get("visits", 4), request.get("steps", 3)
        self._untimed = request.get("untimed_steps", 1)
        self._compared = [
            {"micro_batch_size": size, "peak_reserved_bytes": 0, "alloc_retries": 0, "visits": []}
            for size in request.get("micro_batch_sizes")
        ]
        self.size = self._compared[0]["micro_batch_size"]
        self._taken = 0
        self._optimizer: list[float] = []

    def work(self) -> None:
        for entry in self._compared:
            self._warm_up(entry)
        self.bench.reset_peaks()
        self.begin_gates()
        self.pause_gates()
        for turn in range(self._visits):
            for entry in self._compared if turn % 2 == 0 else reversed(self._compared):
                self._visit(entry)
        self.ask_gates(len(self._compared) * self._visits * self._steps)
        # The energy of all sizes together is of no use.
        self.readings.pop("energy_joules", None)

    def fields(self, outcome: str) -> dict:
        retries = sum(entry["alloc_retries"] for entry in self._compared)
        if retries:
            self.flags.append("thrashes")
        fields = {"compared": self._compared, "alloc_retries": retries}
        if outcome != "ok":
            fields["micro_batch_size"] = self.size
        return {**fields, **typical_fields(optimizer_seconds=self._optimizer)}

    def _warm_up(self, entry: dict) -> None:
        self.size = entry["micro_batch_size"]
        # Each size starts with an empty cache, so that its peak does not include memory of another.
        self.bench.empty_cache()
        self.bench.reset_peaks()
        self._take_untimed(_STEPS_AT_FIRST)
        entry["peak_reserved_bytes"] = self.bench.peaks()[1]

    def _visit(self, entry: dict) -> None:
        self.size = entry["micro_batch_size"]
        retries = self.bench.retries()
        self._take_untimed(self._untimed)
        self.go_on()
        self.resume_gates()
        visit = self._timed_steps()
        self.look_around()
        self.pause_gates()
        if (contention := self.contention_of_visit()) is not None:
            visit["contention"] = contention
        entry["visits"].append(visit)
        entry["alloc_retries"] += self.bench.retries() - retries

    def _timed_steps(self) -> dict:
        chains = [self.take(self._steps)] if self.bench.steps.is_phased else self._one_by_one()
        seconds = [step.micro_batch for chain in chains for step in chain.steps]
        if not min(seconds) > 0:
            raise RuntimeError("A step took no time that could be measured.")
        total = sum(chain.total_seconds for chain in chains)
        clock = self.begin_of(chains[-1]) - sum(chain.total_seconds for chain in chains[:-1])
        for value in seconds:
            self.report("timed", self._taken, value)
            self._taken += 1
        for chain in chains:
            if chain.optimizer_seconds is not None and not chain.lacks_step:
                self._optimizer.append(chain.optimizer_seconds)
        return {"clock": max(0.0, clock), "seconds": total, "step_seconds": seconds}

    def _one_by_one(self) -> list:
        """Runs a step without phases as a chain of one, so that a cancel is noticed after each step."""
        chains = []
        for _ in range(self._steps):
            self.go_on()
            chains.append(self.take(1))
        return chains

    def _take_untimed(self, count: int) -> None:
        for _ in range(count):
            self.go_on()
            self.report("warmup", self._taken, max(self.take(1).wall_seconds, 1e-9))
            self._taken += 1
