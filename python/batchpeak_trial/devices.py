# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The device that steps run on: its memory, its clock, and what tells whether a trial had it for itself."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time

from . import host_memory
from .nvidia_gate import NvidiaGate
from .nvml import Nvml
from .processor_gate import ProcessorGate


def torch_if_imported():
    """The script's own; nothing here imports it for who runs another framework."""
    return sys.modules.get("torch")


def framework() -> str:
    torch = torch_if_imported()
    return "torch " + torch.__version__ if torch else "Python " + sys.version.split()[0]


def device_of(kind: str | None = None):
    """kind is "cpu", "cuda", or None for a GPU where the script has imported torch and there is one."""
    torch = torch_if_imported()
    if kind != "cpu" and torch and torch.cuda.is_available():
        return CudaDevice(torch)
    return CpuDevice(torch)


class _Held:
    """Main memory that the program had before it held a network: its libraries' tables and objects."""

    bytes = host_memory.held_bytes()


def count_memory_from_here() -> None:
    """For who imports large libraries after this package."""
    host_memory.trim()
    _Held.bytes = host_memory.held_bytes()


class CpuDevice:
    """Main memory is what the process holds more than at its start; without a kernel that tells, all is
    0."""

    kind = "cpu"

    def __init__(self, torch=None):
        self._torch = torch
        self._limit = 0

    def describe(self) -> dict:
        total, available = host_memory.host_memory()
        name = host_memory.processor_name()
        free = _tensor_bytes_within(available)
        described = {"kind": "cpu", "name": name, "uuid": "", "total_bytes": total, "free_bytes": free}
        return {**described, "context_bytes": 0, "limit_bytes": 0, "allocator_settings": ""}

    def limit(self, bytes_: int) -> int:
        """Without a bound of its own, a torch program is kept from being killed by the kernel; what another
        framework reserves, and on which device, nobody here knows."""
        possible = max(1, self.held_bytes() + _tensor_bytes_within(host_memory.host_memory()[1]))
        if bytes_ > 0:
            self._limit = min(bytes_, possible)
        else:
            self._limit = possible if self._torch else 0
        return self._limit

    def limited(self):
        """Only while a step runs: what answers the parent must not be refused memory."""
        if not self._limit:
            return contextlib.nullcontext()
        return host_memory.DataLimit(max(0, self._limit - self.held_bytes()))

    def held_bytes(self) -> int:
        return max(0, host_memory.held_bytes() - _Held.bytes)

    def peaks(self) -> tuple[int, int]:
        """Allocated and reserved."""
        peak = max(0, host_memory.peak_held_bytes() - _Held.bytes)
        return peak, peak

    def reset_peaks(self) -> None:
        host_memory.reset_peak()

    def retries(self) -> int:
        return 0

    def empty_cache(self) -> None:
        gc.collect()
        host_memory.trim()

    def has_lost(self, held_before: int) -> bool:
        """What a process holds moves by itself, so that nothing can be said."""
        return False

    def synchronize(self) -> None:
        """The processor computes at once."""

    def mark(self) -> float:
        return time.perf_counter()

    def intervals(self, marks: list[float]) -> list[float]:
        return [after - before for before, after in zip(marks, marks[1:])]

    def gates(self, others) -> list:
        """others tells the processor's seconds of other processes that take the same steps."""
        if not self._torch:
            # The step may wait for a device that is not known here.
            return [ProcessorGate(1, waits_elsewhere=True, others=others)]
        return [ProcessorGate(self._torch.get_num_threads(), others=others)]


class CudaDevice:
    """The GPU that torch computes on."""

    kind = "cuda"

    def __init__(self, torch):
        self._torch, self._cuda = torch, torch.cuda
        self._nvml = Nvml()
        self._shares_memory: bool | None = None

    def describe(self) -> dict:
        # Before anything asks torch for the device, which takes the program's own memory of it.
        is_untouched = not self._cuda.is_initialized()
        untouched = self._nvml.free_bytes(self._visible_uuid()) if is_untouched else None
        uuid = self.uuid()
        free, total = self._free_and_total()
        described = {
            "kind": "cuda",
            "name": self._cuda.get_device_name(),
            "uuid": uuid,
            "total_bytes": total,
            "free_bytes": free,
            "limit_bytes": 0,
            "allocator_settings": _allocator_settings(),
        }
        if untouched is not None:
            described["context_bytes"] = max(0, untouched - free)
        return described

    def _visible_uuid(self) -> str:
        """Of the device that Batchpeak leaves to the program, or else of the only one."""
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        is_one = visible.startswith(("GPU-", "MIG-")) and "," not in visible
        return visible if is_one else self._nvml.uuid_of_only_device()

    def uuid(self) -> str:
        own = getattr(self._cuda.get_device_properties(self._cuda.current_device()), "uuid", None)
        return "GPU-%s" % own if own else self._nvml.uuid_of_only_device()

    def _free_and_total(self) -> tuple[int, int]:
        """Free and total bytes. Where the GPU computes in the computer's memory, CUDA leaves page cache out of
        what is free, and knows no control group."""
        free, total = self._cuda.mem_get_info()
        if self._shares_memory is None:
            properties = self._cuda.get_device_properties(self._cuda.current_device())
            is_integrated = getattr(properties, "is_integrated", 0)
            self._shares_memory = bool(is_integrated) or self._nvml.has_no_memory(self.uuid())
        if self._shares_memory:
            free = min(total, _tensor_bytes_within(host_memory.host_memory()[1]))
        return free, total

    def limit(self, bytes_: int) -> int:
        free, total = self._free_and_total()
        possible = free + self._cuda.memory_reserved()
        limit = min(bytes_, possible) if bytes_ > 0 else possible
        # A fraction that is rounded down would refuse what the limit allows.
        self._cuda.set_per_process_memory_fraction(min(1.0, (limit + 1) / total))
        return limit

    def limited(self):
        """torch keeps the limit itself."""
        return contextlib.nullcontext()

    def held_bytes(self) -> int:
        return self._cuda.memory_allocated()

    def peaks(self) -> tuple[int, int]:
        return self._cuda.max_memory_allocated(), self._cuda.max_memory_reserved()

    def reset_peaks(self) -> None:
        self._cuda.reset_peak_memory_stats()

    def retries(self) -> int:
        return self._cuda.memory_stats().get("num_alloc_retries", 0)

    def empty_cache(self) -> None:
        gc.collect()
        self._cuda.empty_cache()

    def has_lost(self, held_before: int) -> bool:
        return self.held_bytes() > held_before

    def synchronize(self) -> None:
        self._cuda.synchronize()

    def mark(self):
        """On the device: the host does not wait within a chain of steps."""
        event = self._cuda.Event(enable_timing=True)
        event.record()
        return event

    def intervals(self, marks: list) -> list[float]:
        """After synchronize()."""
        return [before.elapsed_time(after) / 1000 for before, after in zip(marks, marks[1:])]

    def gates(self, others) -> list:
        # One thread gives a GPU its work: in forward this one, in backward autograd's.
        gates: list = [ProcessorGate(1, launches=True, others=others)]
        uuid = self.uuid()
        return gates + [NvidiaGate(self._nvml, uuid)] if uuid else gates


def _allocator_settings() -> str:
    """The user's own, which torch heeds by both names."""
    names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _tensor_bytes_within(host_bytes: int) -> int:
    """Beside tensors there is more, and some of it grows with them: core/network/cpu_device_memory.cpp."""
    return max(0, host_bytes - (200 << 20)) // 11 * 10
