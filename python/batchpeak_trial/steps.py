# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs steps of a script, one or several in a row, and times their phases."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass

from .failures import UnsupportedSize

_NEXT = {(): "forward", ("forward",): "backward"}
_ONCE_TOO_FEW = (
    "A training step yields after forward and after backward; if both are one call, it yields "
    '"backward" after both.'
)
_UNKNOWN_WORD = 'A step yields nothing, "forward" or "backward", but not %.40r.'
_NO_COROUTINES = "A step cannot be an async function: it must be complete when it returns."
_ONCE_TOO_OFTEN = (
    "A step yields after forward and after backward, and no third time; one that yields "
    '"backward" after both yields no second time.'
)
_CANNOT_ACCUMULATE = (
    "This step runs forward, backward and the optimizer step together, so it cannot run several "
    "micro-batches for one optimizer step. Let it yield after backward."
)


@dataclass(frozen=True)
class StepTimes:
    """Times of one micro-batch. forward and backward are None if the step does not separate them."""

    micro_batch: float
    forward: float | None = None
    backward: float | None = None
    # Whether the processes reduced gradients in it, if they need not do so in each micro-batch.
    reduces: bool = True


@dataclass(frozen=True)
class StepChain:
    """Micro-batches in a row, and one optimizer step after them if the step separates it."""

    steps: list[StepTimes]
    optimizer_seconds: float | None
    wall_seconds: float
    # The optimizer step was skipped: the loss scale was so large that gradients were infinite.
    lacks_step: bool = False

    @classmethod
    def of(cls, fields: dict) -> StepChain:
        """Returns the chain that dataclasses.asdict() has converted to fields."""
        return cls(**{**fields, "steps": [StepTimes(**times) for times in fields["steps"]]})

    @property
    def total_seconds(self) -> float:
        return sum(step.micro_batch for step in self.steps) + (self.optimizer_seconds or 0.0)

    @property
    def own_seconds(self) -> float:
        """Returns the seconds that this process needed by itself: where others wait for it, they are as slow."""
        own = [step.micro_batch for step in self.steps if not step.reduces]
        return sum(own) if own else self.total_seconds


class Steps:
    """Runs and times steps of step_fn, which runs a whole step, or yields after forward and after backward.

    Several steps that yield form a chain: only the last one continues after its last yield, to the optimizer
    step. If forward and backward are one call, step_fn yields only "backward", after both. If step_fn takes two
    arguments, the second is the number of micro-batches in the chain; an argument with a default counts only if
    its name is accumulation_steps. prepare(size) is called before micro-batches of a size and is not timed.
    synchronize(reduces) is called before each micro-batch and says whether processes reduce gradients in it."""

    def __init__(self, step_fn, device, prepare=None):
        self._step_fn, self._device, self._prepare = step_fn, device, prepare
        self._takes_count = _takes_two(step_fn)
        # None if gradients are reduced in each micro-batch, or never.
        self.synchronize = None
        # False for evaluation, whose steps have no backward.
        self.trains = True
        # Whether step_fn yields; known after the first step.
        self.is_phased = False
        # Whether the last chain has begun its optimizer step: a failure then may leave some parameters updated.
        self.has_begun_optimizer = False

    def run(self, sizes: list[int], after_each=None, reduces: list[bool] | None = None) -> StepChain:
        """Runs a chain of micro-batches of these sizes. after_each(index) is called after each except the last; an
        exception of it ends the chain. reduces says in which of them gradients are reduced, by default in the last;
        it has no effect without synchronize.

        Raises UnsupportedSize if there are several sizes and the step does not separate its phases."""
        self.has_begun_optimizer = False
        is_last = [index == len(sizes) - 1 for index in range(len(sizes))]
        reduces = (reduces or is_last) if self.synchronize else [True] * len(sizes)
        self._make_ready(sizes[0])
        self._device.synchronize()
        begin = time.perf_counter()
        marks = [self._device.mark()]
        step = self._begin(sizes[0], len(sizes), reduces[0])
        self.is_phased = inspect.isgenerator(step)
        if self.is_phased:
            return self._run_phased(step, sizes, begin, marks, after_each, reduces)
        self._device.synchronize()
        if len(sizes) > 1:
            raise UnsupportedSize(_CANNOT_ACCUMULATE)
        seconds = max(time.perf_counter() - begin, 1e-9)
        return StepChain([StepTimes(seconds)], None, seconds, lacks_step=step is False)

    def _make_ready(self, size: int) -> None:
        if self._prepare:
            self._prepare(size)

    def _begin(self, size: int, count: int, reduces: bool):
        if self.synchronize:
            self.synchronize(reduces)
        step = self._step_fn(size, count) if self._takes_count else self._step_fn(size)
        if inspect.iscoroutine(step):
            step.close()
        if inspect.iscoroutine(step) or inspect.isasyncgen(step):
            raise TypeError(_NO_COROUTINES)
        return step

    def _run_phased(
        self, step, sizes: list[int], begin: float, marks: list, after_each, reduces: list[bool]
    ) -> StepChain:
        # Indices of the intervals between marks in which samples were made.
        prepared: list[int] = []
        phases, answer, last = (), None, len(sizes) - 1
        for index, size in enumerate(sizes):
            if index > 0:
                if self._prepare and size != sizes[index - 1]:
                    self._prepare(size)
                    prepared.append(len(marks) - 1)
                    marks.append(self._device.mark())
                step = self._begin(size, len(sizes), reduces[index])
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
        parts = [intervals[at : at + each] for at in range(0, len(intervals), each)]
        steps = [_times(part, phases, is_reduced) for part, is_reduced in zip(parts, reduces)]
        return StepChain(steps, optimizer, wall, lacks_step=answer is False)

    def _take(self, step, marks: list, goes_on: bool):
        """Runs a step; returns its phases and its return value."""
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


def _times(intervals: list[float], phases: tuple[str, ...], reduces: bool) -> StepTimes:
    parts = () if phases[0] == "both" else intervals
    return StepTimes(sum(intervals), *parts, reduces=reduces)


def _takes_two(step_fn) -> bool:
    try:
        parameters = inspect.signature(step_fn).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    second = [parameter for parameter in parameters if parameter.kind in kinds][1:2]
    return any(p.default is inspect.Parameter.empty or p.name == "accumulation_steps" for p in second)
