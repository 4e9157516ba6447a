# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one trial: a warm-up until steps are steady, then timed steps, as app/worker/trial_runner.cpp does."""

from __future__ import annotations

import math

from .requests import Bench, Ended, RunningRequest, typical_fields
from .step_statistics import is_warm, relative_standard_error, typical_seconds

# The device is synchronized once per chain. On a GPU, this leaves it idle for about ten microseconds, which is
# negligible in a chain of this length, and the parent still receives steps several times per second.
_CHAIN_SECONDS = 0.1
_STEPS_BEFORE_ABANDONING = 3


class RunningTrial(RunningRequest):
    def __init__(self, request: dict, bench: Bench):
        super().__init__(request, bench)
        self.size = request.get("micro_batch_size")
        self._fewest, self._most = request.get("min_steps", 5), request.get("max_steps", 24)
        self._least_seconds = request.get("min_seconds", 0.4)
        self._abandon_above = request.get("abandon_above", 0.0)
        self._clock = None
        self._has_stepped = False
        self._expected = 0.0
        self._timed: list = []
        # Micro-batches without the reduction of gradients, if it happens once for each optimizer step.
        self._unreduced: list = []
        self._optimizer: list[float] = []
        self._total = 0.0
        self._retries = 0
        self._allocated = 0

    def work(self) -> None:
        self.bench.empty_cache()
        self.bench.reset_peaks()
        self._warm_up()
        retries = self.bench.retries()
        self.device.synchronize()
        self.bench.reset_peaks()
        self.begin_gates()
        try:
            self._take_timed_steps()
        finally:
            self._retries = self.bench.retries() - retries
            if self._retries > 0:
                self.flags.append("thrashes")
        self.ask_gates(len(self._timed) + len(self._unreduced))
        self._leave_out_unreduced()

    def fields(self, outcome: str) -> dict:
        seconds = [step.micro_batch for step in self._timed]
        fields = {
            "micro_batch_size": self.size,
            "steps": len(seconds),
            "samples": self.size * len(seconds),
            "seconds_per_step": typical_seconds(seconds) or 0.0,
            "step_seconds": seconds,
            "peak_allocated_bytes": self.bench.peaks()[0],
            "alloc_retries": self._retries,
        }
        if outcome == "ok" and not fields["seconds_per_step"]:
            text = "No step took a time that could be measured."
            fields.update(outcome="failed", text=text, step_seconds=[])
        if self._clock is not None:
            fields["clock"] = self._clock
        if self._has_stepped and self.bench.attention:
            fields["attention"] = self.bench.attention
        fields.update(self._phases())
        fields.update(self._error(seconds, outcome))
        return fields

    def _warm_up(self) -> None:
        seconds: list[float] = []
        while not is_warm(seconds, self._limit):
            seconds.append(max(self.take(1).wall_seconds, 1e-9))
            self._has_stepped = True
            self.report("warmup", len(seconds) - 1, seconds[-1])
            self.go_on()
        self._expected = seconds[-1]

    def _take_timed_steps(self) -> None:
        while True:
            count = self._next_chain()
            if not count:
                return
            # Each timed step follows one that does not reduce gradients, if there are such.
            chain = self.take(count, (False, True) if self.bench.steps.synchronize else (True,))
            self._add(chain)
            if self._can_no_longer_win():
                self.flags.append("abandoned")
                return
            if len(self._timed) < self._fewest:
                self.go_on()
            if self.is_cancelled():
                raise Ended("cancelled")
            if self.is_time_up():
                return

    def _add(self, chain) -> None:
        if self._clock is None:
            self._clock = self.begin_of(chain)
        self.look_around()
        for step in chain.steps:
            self._total += step.micro_batch
            if not step.reduces:
                self._unreduced.append(step)
                continue
            self._timed.append(step)
            self.report("timed", len(self._timed) - 1, step.micro_batch)
        if chain.optimizer_seconds is not None:
            self._total += chain.optimizer_seconds
            if not chain.lacks_step:
                self._optimizer.append(chain.optimizer_seconds)
        self._expected = max(self._total / len(self._timed), 1e-9)

    def _next_chain(self) -> int:
        """Returns the number of steps to take next: those still needed, but at most what may run without checking for
        a cancel and the time."""
        done = len(self._timed)
        left = self._least_seconds - self._total
        for_time = math.ceil(left / self._expected) if left > 0 else 0
        wanted = min(max(for_time, self._fewest - done), self._most - done)
        allowed = max(1, int(_CHAIN_SECONDS / self._expected)) if self.bench.steps.is_phased else 1
        if self._abandon_above > 0 and done < _STEPS_BEFORE_ABANDONING:
            allowed = min(allowed, _STEPS_BEFORE_ABANDONING - done)
        return max(0, min(wanted, allowed))

    def _can_no_longer_win(self) -> bool:
        enough = self._abandon_above > 0 and len(self._timed) >= _STEPS_BEFORE_ABANDONING
        return enough and min(step.micro_batch for step in self._timed) > self._abandon_above

    def _phases(self) -> dict:
        if not self.bench.steps.is_phased or not self._timed:
            return {}
        parts, steps = {}, self._unreduced or self._timed
        if steps[0].forward is not None:
            parts["forward_seconds"] = [step.forward for step in steps]
        if steps[0].backward is not None:
            parts["backward_seconds"] = [step.backward for step in steps]
        return {**typical_fields(optimizer_seconds=self._optimizer, **parts), **self._reduction()}

    def _reduction(self) -> dict:
        if not self._unreduced:
            return {}
        with_it, without = (
            typical_seconds([step.micro_batch for step in steps]) or 0.0 for steps in (self._timed, self._unreduced)
        )
        return {"reduction_seconds": max(0.0, with_it - without)}

    def _leave_out_unreduced(self) -> None:
        """Makes the energy that of the timed steps, by their share of the time."""
        if self._unreduced and "energy_joules" in self.readings:
            left_out = sum(step.micro_batch for step in self._unreduced)
            self.readings["energy_joules"] *= 1 - left_out / self._total

    def _error(self, seconds: list[float], outcome: str) -> dict:
        error = relative_standard_error(seconds)
        typical = typical_seconds(seconds)
        if error is None or typical is None:
            return {}
        if outcome != "ok":
            return {"relative_error": error}
        if not any(flag.startswith("disturbed") for flag in self.flags):
            self.bench.scatter.add(self.size, typical)
        return {"relative_error": math.hypot(error, self.bench.scatter.relative_deviation())}
