# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Watches whether a trial had an NVIDIA GPU for itself and at its full clock: app/worker/nvidia_gate.cpp."""

from __future__ import annotations

import time

from .nvml import Condition, Nvml
from .processor_gate import GateReport

# The clock of a healthy GPU moves by one step of 15 MHz, less than 1 %.
_LARGEST_CLOCK_FALL = 0.05
# The energy counter is updated every 20 to 100 ms, so over this time either end is off by a quarter at most.
_SHORTEST_ENERGY_SECONDS = 0.4
_SOFTWARE_POWER = 0x4
_REASONS = (
    (0x20 | 0x40, "the GPU was too hot for its full clock"),
    (0x80, "the power supply slowed the GPU down"),
    (0x8, "the hardware slowed the GPU down"),
)


class NvidiaGate:
    """If the power limit lowers the clock, that is a property of the device, and training runs at that clock
    too: the gate adds a note and reports no disturbance. The contention by other programs is the mean of what the
    looks saw of them; each look covers the second before it."""

    def __init__(self, nvml: Nvml, uuid: str):
        self._nvml, self._uuid = nvml, uuid
        # Programs on the device at the first trial, including this one: in a container nobody can tell which one
        # it is.
        self._known = None

    def begin(self) -> None:
        self._seen = [self._read()]
        self._begin = time.perf_counter()
        if self._known is None:
            self._known = self._seen[0].processes
        self.resume()

    def look(self) -> None:
        self._seen.append(self._read())

    def pause(self) -> None:
        """Does nothing: the gate sees only moments, none of which lies in a pause, and the energy is that of the
        whole time."""

    def resume(self) -> None:
        self._resumed = len(self._seen)

    def contention(self) -> float | None:
        """Returns the share that other programs took of the GPU, as ProcessorGate.contention() does for the CPU."""
        return self._contention_since(self._resumed)

    def end(self, steps: int, report: GateReport) -> None:
        # The reading of begin() covers the time before the trial.
        contention = self._contention_since(1)
        if contention is not None:
            report.readings["contention"] = contention
        self._read_gauges(report)
        self._judge_clock(report)
        self._judge_company(report)

    def _read(self) -> Condition:
        return self._nvml.condition(self._uuid)

    def _values(self, name: str, first: int = 0) -> list[float]:
        values = (getattr(condition, name) for condition in self._seen[first:])
        return [value for value in values if value is not None]

    def _contention_since(self, look: int) -> float | None:
        shares = self._values("others_share", look)
        return sum(shares) / len(shares) if shares else None

    def _read_gauges(self, report: GateReport) -> None:
        energy = self._values("energy_joules")
        long_enough = time.perf_counter() - self._begin >= _SHORTEST_ENERGY_SECONDS
        if long_enough and len(energy) == len(self._seen) and energy[-1] > energy[0]:
            report.readings["energy_joules"] = energy[-1] - energy[0]
        power = self._values("power_watts")
        if power:
            report.readings["mean_power_watts"] = sum(power) / len(power)
        temperatures = self._values("temperature_celsius")
        if temperatures:
            report.readings["temperature_celsius"] = float(max(temperatures))
        clocks = self._values("clock_megahertz")
        if clocks:
            report.readings["clock_megahertz"] = float(min(clocks))

    def _judge_clock(self, report: GateReport) -> None:
        bits = 0
        for condition in self._seen:
            bits |= condition.clock_reasons
        reason = next((text for mask, text in _REASONS if bits & mask), None)
        if reason:
            report.disturbances.append(reason)
        highest, own_fall = 0.0, None
        for condition in self._seen:
            clock = condition.clock_megahertz
            if clock is None:
                continue
            highest = max(highest, clock)
            if clock >= (1 - _LARGEST_CLOCK_FALL) * highest:
                continue
            fall = "the clock of the GPU fell from %.0f to %.0f MHz" % (highest, clock)
            if not condition.clock_reasons & _SOFTWARE_POWER:
                report.disturbances.append(fall)
                return
            own_fall = own_fall or "power limit: " + fall
        if own_fall:
            report.notes.append(own_fall)

    def _judge_company(self, report: GateReport) -> None:
        if self._known is None:
            return
        seen = (condition.processes for condition in self._seen)
        if any(processes is not None and not processes <= self._known for processes in seen):
            report.disturbances.append("another program began to use the GPU")
