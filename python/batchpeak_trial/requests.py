# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What trials and comparisons have in common: app/worker/running_request.cpp."""

from __future__ import annotations

import time

from .failures import Failure, classify
from .processor_gate import GateReport
from .step_statistics import RunScatter, typical_seconds
from .steps import StepChain, Steps

# Each halves the scale of the loss, which begins at 2^16: gradients that are infinite at 2^-16 are so at
# any.
_MOST_WITHOUT_STEP = 32
_SHARE_WITHOUT_STEP = 0.2


class Ended(Exception):
    """What ends a request that has not failed: the word of the outcome."""


class StickyFailure(Exception):
    """Only a fresh process can go on."""


class Bench:
    """What requests run on: the script's steps, its device, and the conversation with the parent."""

    def __init__(self, step_fn, device, hooks, channel, inbox):
        self.steps = Steps(step_fn, device)
        self.device, self.hooks = device, hooks
        self.channel, self.inbox = channel, inbox
        self.gates = device.gates()
        self.scatter = RunScatter()
        # Where the network itself does not fit, what it would have needed.
        self.not_even_loaded = 0
        # Of the device between steps, as far as steps have come to their end.
        self.held = device.held_bytes()
        self.hello = 0.0
        # The kernel that computes it, where the load knows; empty where it does not.
        self.attention = ""

    def peaks(self) -> tuple[int, int]:
        return self.hooks.peaks(self.device)

    def reset_peaks(self) -> None:
        self.hooks.reset_peaks(self.device)


class RunningRequest:
    """Subclasses take steps in work(), and say in fields() what they measured."""

    def __init__(self, request: dict, bench: Bench):
        self.bench, self.device = bench, bench.device
        self._id, self._limit = request.get("id"), request.get("time_limit", 60.0)
        self._start = time.perf_counter()
        self._without_step = 0
        self.size = 0
        self.flags: list[str] = []
        self.readings: dict = {}

    def answer(self) -> dict:
        """The result message.

        Raises StickyFailure."""
        outcome, failure = "ok", None
        self.bench.held = max(self.bench.held, self.device.held_bytes())
        try:
            if self.bench.not_even_loaded:
                raise Ended("oom")
            with self.device.limited():
                self.work()
        except Ended as end:
            outcome = str(end)
        except Exception as error:
            failure = classify(error, self.device.kind != "cpu")
        if failure and failure.sticky:
            raise StickyFailure(failure.text)
        result = {"type": "result", "id": self._id, "outcome": failure.outcome if failure else outcome}
        result["peak_reserved_bytes"] = self._peak_reserved(failure)
        result.update(self.fields(result["outcome"]))
        result.update(self.readings, flags=self.flags, wall_seconds=time.perf_counter() - self._start)
        if failure:
            self._recover(failure, result)
        elif self.bench.not_even_loaded:
            result["text"] = "Not even the network without any sample fits."
        return result

    def work(self) -> None:
        raise NotImplementedError

    def fields(self, outcome: str) -> dict:
        raise NotImplementedError

    def take(self, count: int) -> StepChain:
        """A scaled loss finds its scale in steps that change nothing; those say nothing of the size."""
        while True:
            chain = self.bench.steps.run(self.size, count)
            # What libraries have taken for themselves by now is not lost.
            self.bench.held = self.device.held_bytes()
            if not chain.lacks_step:
                return chain
            if not self._may_take_again():
                if "without all optimizer steps" not in self.flags:
                    self.flags.append("without all optimizer steps")
                return chain
            self._without_step += 1

    def report(self, phase: str, index: int, seconds: float) -> None:
        step = {"type": "step", "id": self._id, "phase": phase, "index": index, "seconds": seconds}
        self.bench.channel.send(step)

    def begin_gates(self) -> None:
        for gate in self.bench.gates:
            gate.begin()

    def pause_gates(self) -> None:
        for gate in self.bench.gates:
            gate.pause()

    def resume_gates(self) -> None:
        for gate in self.bench.gates:
            gate.resume()

    def look_around(self) -> None:
        for gate in self.bench.gates:
            gate.look()

    def ask_gates(self, steps: int) -> None:
        report = GateReport()
        for gate in self.bench.gates:
            gate.end(steps, report)
        self.readings = report.readings
        self.flags += ["disturbed: " + reason for reason in report.disturbances] + report.notes

    def begin_of(self, chain: StepChain) -> float:
        return max(0.0, time.perf_counter() - chain.total_seconds - self.bench.hello)

    def is_cancelled(self) -> bool:
        return self.bench.inbox.is_cancelled(self._id)

    def is_time_up(self) -> bool:
        return time.perf_counter() - self._start >= self._limit

    def go_on(self) -> None:
        if self.is_cancelled():
            raise Ended("cancelled")
        if self.is_time_up():
            raise Ended("timeout")

    def _may_take_again(self) -> bool:
        spent = time.perf_counter() - self._start
        return (
            self._without_step < _MOST_WITHOUT_STEP
            and not self.is_cancelled()
            and spent < _SHARE_WITHOUT_STEP * self._limit
        )

    def _peak_reserved(self, failure: Failure | None) -> int:
        if self.bench.not_even_loaded:
            return self.bench.not_even_loaded
        allocated, reserved = self.bench.peaks()
        needed = allocated + failure.requested_bytes if failure and failure.outcome == "oom" else 0
        return max(reserved, needed)

    def _recover(self, failure: Failure, result: dict) -> None:
        # The exception is gone here, and with it what its traceback held.
        result["text"] = failure.text[:4000]
        if failure.is_of_host:
            result["refused_host_bytes"] = failure.requested_bytes
        try:
            self.bench.hooks.recover(self.device)
            self.device.synchronize()
            lost = self.device.has_lost(self.bench.held)
        except Exception:  # whatever fails here is no longer the step's failure: the device does not answer
            lost = True
        if lost:
            result["last"] = True


def typical_fields(**lists) -> dict:
    """The typical value of each list that has one."""
    typical = {name: typical_seconds(seconds) for name, seconds in lists.items()}
    return {name: value for name, value in typical.items() if value is not None}
