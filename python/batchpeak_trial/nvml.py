# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the state of GPUs from NVIDIA's management library, which is loaded at run time. It changes nothing."""

from __future__ import annotations

import ctypes
import os
import time
from dataclasses import dataclass

# Declared by hand from NVIDIA's nvml.h (API 11 and later).
_SUCCESS, _NOT_SUPPORTED, _INSUFFICIENT_SIZE = 0, 3, 7
_TEMPERATURE_OF_GPU, _CLOCK_OF_SM = 0, 1
_MOST_PROCESSES = 256


class _Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class _Process(ctypes.Structure):
    """nvmlProcessInfo_t of the functions whose name ends in _v3."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    ]


class _ProcessUtilization(ctypes.Structure):
    """nvmlProcessUtilizationSample_t. The time is in microseconds since 1970, by the computer's clock."""

    _fields_ = [
        ("pid", ctypes.c_uint),
        ("time", ctypes.c_ulonglong),
        # Percent.
        ("sm", ctypes.c_uint),
        ("memory", ctypes.c_uint),
        ("encoder", ctypes.c_uint),
        ("decoder", ctypes.c_uint),
    ]


@dataclass(frozen=True)
class Condition:
    """Condition of a GPU at one moment; what the driver does not report is None."""

    clock_megahertz: float | None = None
    # Why the clock is below its maximum: bits of nvmlClocksEventReasons.
    clock_reasons: int = 0
    temperature_celsius: float | None = None
    power_watts: float | None = None
    energy_joules: float | None = None
    processes: frozenset | None = None
    # Share of the last second in which other programs computed on the GPU, 0..1. None if this program is not among
    # the processes: in a container they have the host's PIDs, and it is unknown which one it is.
    others_share: float | None = None


class Nvml:
    """Values are absent if the library or a function of it is missing."""

    def __init__(self, library: str = "libnvidia-ml.so.1"):
        self._library = None
        try:
            self._library = ctypes.CDLL(library)
            if self._library.nvmlInit_v2() != _SUCCESS:
                self._library = None
        except (OSError, AttributeError):
            self._library = None

    def uuid_of_only_device(self) -> str:
        """Returns an empty text if there are several devices: CUDA and the driver may number them differently."""
        count, handle = ctypes.c_uint(), ctypes.c_void_p()
        if not self._ask("nvmlDeviceGetCount_v2", ctypes.byref(count)) or count.value != 1:
            return ""
        if not self._ask("nvmlDeviceGetHandleByIndex_v2", 0, ctypes.byref(handle)):
            return ""
        text = ctypes.create_string_buffer(96)
        return text.value.decode() if self._ask("nvmlDeviceGetUUID", handle, text, 96) else ""

    def devices(self) -> list[tuple[str, str]]:
        """Returns the names and UUIDs of all devices, in the driver's order."""
        count, devices = ctypes.c_uint(), []
        self._ask("nvmlDeviceGetCount_v2", ctypes.byref(count))
        for index in range(count.value):
            handle = ctypes.c_void_p()
            name, uuid = ctypes.create_string_buffer(96), ctypes.create_string_buffer(96)
            if self._ask("nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle)):
                self._ask("nvmlDeviceGetName", handle, name, 96)
                self._ask("nvmlDeviceGetUUID", handle, uuid, 96)
                devices.append((name.value.decode(), uuid.value.decode()))
        return devices

    def free_bytes(self, uuid: str) -> int | None:
        handle, memory = self._handle_of(uuid), _Memory()
        found = handle and self._ask("nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
        return memory.free if found else None

    def has_no_memory(self, uuid: str) -> bool:
        """Returns whether the device has no memory of its own and uses main memory, as a GB10 does."""
        handle, memory = self._handle_of(uuid), _Memory()
        result = handle and self._result("nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
        return result == _NOT_SUPPORTED

    def condition(self, uuid: str) -> Condition:
        handle = self._handle_of(uuid)
        if not handle:
            return Condition()
        # A MIG instance has the clocks and the temperature of the whole GPU.
        whole = ctypes.c_void_p()
        if not self._ask("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", handle, ctypes.byref(whole)):
            whole = handle
        processes = self._processes(handle)
        watts = self._number("nvmlDeviceGetPowerUsage", ctypes.c_uint, handle)
        joules = self._number("nvmlDeviceGetTotalEnergyConsumption", ctypes.c_ulonglong, handle)
        reasons = self._number("nvmlDeviceGetCurrentClocksEventReasons", ctypes.c_ulonglong, whole)
        if reasons is None:
            # The name of the function before driver 535.
            reasons = self._number("nvmlDeviceGetCurrentClocksThrottleReasons", ctypes.c_ulonglong, whole)
        return Condition(
            clock_megahertz=self._number("nvmlDeviceGetClockInfo", ctypes.c_uint, whole, _CLOCK_OF_SM),
            clock_reasons=reasons or 0,
            temperature_celsius=self._number(
                "nvmlDeviceGetTemperature", ctypes.c_uint, whole, _TEMPERATURE_OF_GPU
            ),
            power_watts=None if watts is None else watts / 1000,
            energy_joules=None if joules is None else joules / 1000,
            processes=processes,
            others_share=self._share_of_others(handle) if os.getpid() in (processes or ()) else None,
        )

    def _handle_of(self, uuid: str) -> ctypes.c_void_p | None:
        handle = ctypes.c_void_p()
        found = uuid and self._ask("nvmlDeviceGetHandleByUUID", uuid.encode(), ctypes.byref(handle))
        return handle if found else None

    def _processes(self, handle) -> frozenset | None:
        # Programs may start between two calls, so there is room for more than were ever seen to share a GPU.
        found = (_Process * _MOST_PROCESSES)()
        count = ctypes.c_uint(_MOST_PROCESSES)
        if not self._ask("nvmlDeviceGetComputeRunningProcesses_v3", handle, ctypes.byref(count), found):
            return None
        return frozenset(process.pid for process in found[: count.value])

    def _share_of_others(self, handle) -> float | None:
        last_seen = ctypes.c_ulonglong(int(1e6 * (time.time() - 1)))

        def asked(room) -> int | None:
            function = "nvmlDeviceGetProcessUtilization"
            return self._result(function, handle, room, ctypes.byref(count), last_seen)

        count = ctypes.c_uint(0)
        result = asked(None)
        samples = (_ProcessUtilization * count.value)()
        if result in (_SUCCESS, _INSUFFICIENT_SIZE):
            result = asked(samples)
        # NVML_ERROR_NOT_FOUND (no samples) says nothing about other programs, since this program has computed.
        if result != _SUCCESS:
            return None
        # Drivers were observed to return old samples too, and uninitialized ones (nvtop's issue 110).
        percent = sum(
            sample.sm
            for sample in samples[: count.value]
            if sample.pid != os.getpid() and sample.time > last_seen.value and sample.sm <= 100
        )
        return min(1.0, percent / 100)

    def _number(self, function: str, kind, handle, *arguments):
        value = kind()
        return value.value if self._ask(function, handle, *arguments, ctypes.byref(value)) else None

    def _ask(self, function: str, *arguments) -> bool:
        return self._result(function, *arguments) == _SUCCESS

    def _result(self, function: str, *arguments) -> int | None:
        try:
            return getattr(self._library, function)(*arguments) if self._library else None
        except AttributeError:
            return None
