# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common base of trials and comparisons: app/worker/running_request.cpp."""

from __future__ import annotations

import time

from .failures import Failure, FailureElsewhere, classify
from .processor_gate import GateReport
from .ranks import Alone
from .step_statistics import RunScatter, typical_seconds
from .steps import StepChain, Steps

# Each step that is skipped halves the loss scale, which begins at 2^16. Gradients that are infinite at 2^-16 are
# infinite at any scale.
_MOST_WITHOUT_STEP = 32
_SHARE_WITHOUT_STEP = 0.2
NOTHING_FITS = "Not even the network without any sample fits."


class Ended(Exception):
    """Raised to end a request that has not failed; its text is the outcome."""


class StickyFailure(Exception):
    """A failure after which only a fresh process can go on."""


class Bench:
    """What requests run on: the script's steps, its device, and the conversation with the parent.

    If several processes take steps together, team applies each operation on the device to all of them."""

    def __init__(self, step_fn, device, hooks, channel, inbox, team=None):
        self.steps = Steps(step_fn, device, hooks.prepare)
        self.device, self.hooks = device, hooks
        self.channel, self.inbox = channel, inbox
        self.team = team or Alone()
        self.gates = device.gates(self.team.processor_seconds)
        self.scatter = RunScatter()
        # If the network itself does not fit, the bytes that it needs; 0 if it fits.
        self.not_even_loaded = 0
        # Bytes that are held on the device between steps, after the last step that succeeded.
        self.held = device.held_bytes()
        self.hello = 0.0
        # The kernel that computes attention, and the tokens of a sample, if the load reports them.
        self.attention, self.tokens_per_sample = "", 0
        # The micro-batch size of the last batch.
        self.trained_size = 0

    def run(self, sizes: list[int], after_each=None, reduces: list[bool] | None = None) -> StepChain:
        """Returns the chain of the slowest process, since the processes together are no faster."""
        order = {"do": "run", "sizes": sizes, "reduces": reduces}
        own, *others = self.team.together(order, lambda: self.steps.run(sizes, after_each, reduces))
        return max([own, *map(StepChain.of, others)], key=lambda chain: chain.own_seconds)

    def peaks(self) -> tuple[int, int]:
        """Returns the highest peaks of all processes: each has its own device, and all must fit."""
        peaks = self.team.together({"do": "peaks"}, lambda: self.hooks.peaks(self.device))
        return max(peak[0] for peak in peaks), max(peak[1] for peak in peaks)

    def reset_peaks(self) -> None:
        self.team.together({"do": "reset_peaks"}, lambda: self.hooks.reset_peaks(self.device))

    def empty_cache(self) -> None:
        self.team.together({"do": "empty_cache"}, self.device.empty_cache)

    def retries(self) -> int:
        return sum(self.team.together({"do": "retries"}, self.device.retries))


class RunningRequest:
    """Subclasses take steps in work(), and return in fields() what they measured."""

    answer_type = "result"

    def __init__(self, request: dict, bench: Bench):
        self.bench, self.device = bench, bench.device
        self._id, self._limit = request.get("id"), request.get("time_limit", 60.0)
        self._start = time.perf_counter()
        self._without_step = 0
        self._is_within_chain = False
        self.size = 0
        self.flags: list[str] = []
        self.readings: dict = {}

    def answer(self) -> dict:
        """Runs the request and returns the result message.

        Raises StickyFailure."""
        self.bench.held = max(self.bench.held, self.device.held_bytes())
        try:
            if self.bench.not_even_loaded:
                raise Ended("oom")
            with self.device.limited():
                self.work()
        except Ended as end:
            return self._concluded(str(end))
        # A step that calls sys.exit() counts as one that fails.
        except (Exception, SystemExit) as error:
            failure, elsewhere = classify(error, self.device.kind != "cpu"), _peaks_elsewhere(error)
        else:
            return self._concluded("ok")
        # Outside the except block, the exception and the objects of its traceback are freed.
        return self._concluded(failure.outcome, failure, elsewhere)

    def answer_to(self, error: FailureElsewhere) -> dict:
        """Returns the result message if this process waits within a step that has failed in another process.

        Raises StickyFailure."""
        return self._concluded(error.failure.outcome, error.failure, error.peaks)

    def _concluded(self, outcome: str, failure: Failure | None = None, elsewhere=(0, 0)) -> dict:
        if failure and failure.sticky:
            raise StickyFailure(failure.text)
        result = {"type": self.answer_type, "id": self._id, "outcome": outcome}
        result["peak_reserved_bytes"] = self._peak_reserved(failure, elsewhere)
        result.update(self.fields(result["outcome"]))
        result.update(self.circumstances())
        if failure:
            self._recover(failure, result)
        elif self._is_within_chain and not self.regain():
            result["last"] = True
        elif self.bench.not_even_loaded:
            result["text"] = NOTHING_FITS
        return result

    def work(self) -> None:
        raise NotImplementedError

    def fields(self, outcome: str) -> dict:
        raise NotImplementedError

    def circumstances(self) -> dict:
        return {**self.readings, "flags": self.flags, "wall_seconds": self.seconds_so_far()}

    def take(self, count: int, reduces: tuple[bool, ...] = (True,)) -> StepChain:
        """Takes a chain of count steps, each with a micro-batch for each element of reduces. Steps that the optimizer
        skipped to find the loss scale are taken again."""
        sizes = [self.size] * count * len(reduces)
        while True:
            chain = self.bench.run(sizes, self._leave_if_cancelled, list(reduces) * count)
            # Memory that libraries have taken by now does not count as lost.
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

    def contention_of_visit(self) -> float | None:
        """Returns the contention that the gate of the computing device reports for the steps since resume_gates();
        other gates report none."""
        told = (gate.contention() for gate in self.bench.gates)
        return next((value for value in told if value is not None), None)

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
        return self.seconds_so_far() >= self._limit

    def seconds_so_far(self) -> float:
        return time.perf_counter() - self._start

    def go_on(self) -> None:
        if self.is_cancelled():
            raise Ended("cancelled")
        if self.is_time_up():
            raise Ended("timeout")

    def _leave_if_cancelled(self, _index: int) -> None:
        """Ends a canceled request between micro-batches. Processes that take steps together must take all steps."""
        if self.bench.team.is_alone and self.is_cancelled():
            self._is_within_chain = True
            raise Ended("cancelled")

    def _may_take_again(self) -> bool:
        return (
            self._without_step < _MOST_WITHOUT_STEP
            and not self.is_cancelled()
            and self.seconds_so_far() < _SHARE_WITHOUT_STEP * self._limit
        )

    def _peak_reserved(self, failure: Failure | None, elsewhere: tuple[int, int]) -> int:
        if self.bench.not_even_loaded:
            return self.bench.not_even_loaded
        allocated, reserved = map(max, self.bench.peaks(), elsewhere)
        needed = allocated + failure.requested_bytes if failure and failure.outcome == "oom" else 0
        return max(reserved, needed)

    def _recover(self, failure: Failure, result: dict) -> None:
        result["text"] = failure.text[:4000]
        if failure.is_of_host:
            result["refused_host_bytes"] = failure.requested_bytes
        if self.bench.team.is_broken:
            # Even synchronizing the device could take forever.
            result["last"] = True
            return
        lost = not self.regain()
        if lost:
            result["last"] = True

    def regain(self) -> bool:
        """Recovers from a failed step; returns whether the device has all of its memory again."""
        try:
            self.bench.hooks.recover(self.device)
            self.device.synchronize()
            return not self.device.has_lost(self.bench.held)
        except Exception:  # a failure here is not the step's: the device does not respond
            return False


def _peaks_elsewhere(error: BaseException) -> tuple[int, int]:
    return error.peaks if isinstance(error, FailureElsewhere) else (0, 0)


def typical_fields(**lists) -> dict:
    """Returns the typical value of each list that has one."""
    typical = {name: typical_seconds(seconds) for name, seconds in lists.items()}
    return {name: value for name, value in typical.items() if value is not None}
