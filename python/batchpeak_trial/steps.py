# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a script, taken one or several in a row, and timed by their phases."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass

from .failures import UnsupportedSize

_NEXT = {(): "forward", ("forward",): "backward"}
_ONCE_TOO_FEW = (
    "A training step yields behind forward and behind backward; where both are one call, it yields "
    '"backward" behind both.'
)
_UNKNOWN_WORD = 'A step yields nothing, "forward" or "backward", and no %.40r.'
_NO_COROUTINES = "A step is no async function: it is over when it returns."
_ONCE_TOO_OFTEN = (
    "A step yields behind forward and behind backward, and no third time; one that yields "
    '"backward" behind both yields no second time.'
)
_CANNOT_ACCUMULATE = (
    "This step takes forward, backward and the optimizer step together, so that it cannot take several "
    "micro-batches for one optimizer step. Let it yield behind backward."
)


@dataclass(frozen=True)
class StepTimes:
    """forward and backward are None where the step does not tell them apart."""

    micro_batch: float
    forward: float | None = None
    backward: float | None = None


@dataclass(frozen=True)
class StepChain:
    """Micro-batches in a row, and one optimizer step behind them where the step tells it apart."""

    steps: list[StepTimes]
    optimizer_seconds: float | None
    wall_seconds: float
    # The loss was scaled so far up that gradients were infinite.
    lacks_step: bool = False

    @classmethod
    def of(cls, fields: dict) -> StepChain:
        """What dataclasses.asdict() has made of one."""
        return cls(**{**fields, "steps": [StepTimes(**times) for times in fields["steps"]]})

    @property
    def total_seconds(self) -> float:
        return sum(step.micro_batch for step in self.steps) + (self.optimizer_seconds or 0.0)


class Steps:
    """step_fn is a function that takes a whole step, or one that yields behind forward and behind backward.

    Of the second kind several make a chain: the last alone goes on behind its last yield, to the
    optimizer step. Where forward and backward are one call, it yields "backward" behind both, and no
    other time. Where it takes two arguments, the second is how many there are in the chain, with a default
    only by the name of accumulation_steps. prepare(size) comes before micro-batches of a size, and is timed
    with none."""

    def __init__(self, step_fn, device, prepare=None):
        self._step_fn, self._device, self._prepare = step_fn, device, prepare
        self._takes_count = _takes_two(step_fn)
        # A step of evaluation has no backward to tell apart.
        self.trains = True
        # Known after the first step.
        self.is_phased = False
        # Of the last chain: from then on a failure may leave parameters that are half changed.
        self.has_begun_optimizer = False

    def run(self, sizes: list[int], after_each=None) -> StepChain:
        """Of micro-batches of these sizes. after_each(index) follows each that has a successor; what it
        raises ends the chain there.

        Raises UnsupportedSize where several are wanted of a step that cannot be told apart."""
        self.has_begun_optimizer = False
        self._make_ready(sizes[0])
        self._device.synchronize()
        begin = time.perf_counter()
        marks = [self._device.mark()]
        step = self._begin(sizes[0], len(sizes))
        self.is_phased = inspect.isgenerator(step)
        if self.is_phased:
            return self._run_phased(step, sizes, begin, marks, after_each)
        self._device.synchronize()
        if len(sizes) > 1:
            raise UnsupportedSize(_CANNOT_ACCUMULATE)
        seconds = max(time.perf_counter() - begin, 1e-9)
        return StepChain([StepTimes(seconds)], None, seconds, lacks_step=step is False)

    def _make_ready(self, size: int) -> None:
        if self._prepare:
            self._prepare(size)

    def _begin(self, size: int, count: int):
        step = self._step_fn(size, count) if self._takes_count else self._step_fn(size)
        if inspect.iscoroutine(step):
            step.close()
        if inspect.iscoroutine(step) or inspect.isasyncgen(step):
            raise TypeError(_NO_COROUTINES)
        return step

    def _run_phased(self, step, sizes: list[int], begin: float, marks: list, after_each) -> StepChain:
        # Of the intervals between marks, those in which samples were made.
        prepared: list[int] = []
        phases, answer, last = (), None, len(sizes) - 1
        for index, size in enumerate(sizes):
            if index > 0:
                if self._prepare and size != sizes[index - 1]:
                    self._prepare(size)
                    prepared.append(len(marks) - 1)
                    marks.append(self._device.mark())
                step = self._begin(size, len(sizes))
            phases, answer = self._take(step, marks, goes_on=index == last)
            if after_each and index < last:
                after_each(index)
        self._device.synchronize()
        wall = time.perf_counter() - begin
        intervals = [
            seconds for place, seconds in enumerate(self._device.intervals(marks)) if place not in prepared
        ]
        optimizer = intervals.pop() if phases[-1] == "optimizer" else None
        each = len(intervals) // len(sizes)
        steps = [_times(intervals[at : at + each], phases) for at in range(0, len(intervals), each)]
        return StepChain(steps, optimizer, wall, lacks_step=answer is False)

    def _take(self, step, marks: list, goes_on: bool):
        """The phases that it has, and what it returns."""
        phases: tuple[str, ...] = ()
        while True:
            try:
                told = next(step)
            except StopIteration as end:
                if self.trains and phases == ("forward",):
                    raise RuntimeError(_ONCE_TOO_FEW) from None
                marks.append(self._device.mark())
                return (*phases, _NEXT.get(phases, "optimizer")), end.value
            if phases and phases[-1] != "forward":
                raise RuntimeError(_ONCE_TOO_OFTEN)
            if isinstance(told, str) and told not in ("forward", "backward"):
                raise RuntimeError(_UNKNOWN_WORD % told)
            phases += ("both",) if told == "backward" and not phases else (_NEXT.get(phases, "optimizer"),)
            marks.append(self._device.mark())
            if phases[-1] != "forward":
                if not goes_on:
                    step.close()
                    return phases, None
                self.has_begun_optimizer = True


def _times(intervals: list[float], phases: tuple[str, ...]) -> StepTimes:
    if phases[0] == "both":
        return StepTimes(intervals[0])
    return StepTimes(sum(intervals), *intervals)


def _takes_two(step_fn) -> bool:
    try:
        parameters = inspect.signature(step_fn).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    second = [parameter for parameter in parameters if parameter.kind in kinds][1:2]
    return any(p.default is inspect.Parameter.empty or p.name == "accumulation_steps" for p in second)
