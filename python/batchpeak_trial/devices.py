# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The device that steps run on: its memory, its clock, and the gates that watch for other programs."""

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
    """Returns torch if the script has imported it. This package does not import it, since the script may use
    another framework."""
    return sys.modules.get("torch")


def framework() -> str:
    torch = torch_if_imported()
    return "torch " + torch.__version__ if torch else "Python " + sys.version.split()[0]


def device_of(kind: str | None = None):
    """Returns the device of a kind: "cpu", "cuda", or None for a GPU if there is one and the script has imported
    torch, or else the CPU."""
    torch = torch_if_imported()
    if kind != "cpu" and torch and torch.cuda.is_available():
        return CudaDevice(torch)
    return CpuDevice(torch)


class _Held:
    """Main memory that the program held before it had a network: tables and objects of libraries."""

    bytes = host_memory.held_bytes()


class _Sharing:
    """Number of processes on this computer that share its main memory equally."""

    count = 1


def share_memory(count: int) -> None:
    _Sharing.count = count


def count_memory_from_here() -> None:
    """Excludes the memory that the process holds now from measurements. Call it after importing large
    libraries."""
    host_memory.trim()
    _Held.bytes = host_memory.held_bytes()


class CpuDevice:
    """The CPU. Its memory is what the process holds in addition to what it held at its start, or 0 if the kernel
    does not report it."""

    kind = "cpu"

    def __init__(self, torch=None):
        self._torch = torch
        self._limit = 0

    def describe(self) -> dict:
        total, available = host_memory.host_memory()
        name = host_memory.processor_name()
        # Each process on this computer has its share.
        free = _tensor_bytes_within(available) // _Sharing.count
        total //= _Sharing.count
        described = {"kind": "cpu", "name": name, "uuid": "", "total_bytes": total, "free_bytes": free}
        return {**described, "context_bytes": 0, "limit_bytes": 0, "allocator_settings": ""}

    def limit(self, bytes_: int) -> int:
        """Sets a limit. With 0, a torch program gets the limit of available memory, so that the kernel does not
        kill it. Another framework gets none, since it may reserve memory on an unknown device."""
        available = _tensor_bytes_within(host_memory.host_memory()[1]) // _Sharing.count
        possible = max(1, self.held_bytes() + available)
        if bytes_ > 0:
            self._limit = min(bytes_, possible)
        else:
            self._limit = possible if self._torch else 0
        return self._limit

    def limited(self):
        """Applies the limit only while a step runs: code that answers the parent must not run out of memory."""
        if not self._limit:
            return contextlib.nullcontext()
        return host_memory.DataLimit(max(0, self._limit - self.held_bytes()))

    def held_bytes(self) -> int:
        return max(0, host_memory.held_bytes() - _Held.bytes)

    def peaks(self) -> tuple[int, int]:
        """Returns the peaks of allocated and reserved bytes."""
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
        """Returns False, since the memory of a process changes by itself too."""
        return False

    def synchronize(self) -> None:
        """Does nothing: the CPU computes synchronously."""

    def mark(self) -> float:
        return time.perf_counter()

    def intervals(self, marks: list[float]) -> list[float]:
        return [after - before for before, after in zip(marks, marks[1:])]

    def gates(self, others) -> list:
        """others() returns the CPU seconds of other processes that take the same steps."""
        if not self._torch:
            # The step may wait for a device that Batchpeak does not know.
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
        # Before anything initializes CUDA in torch, which takes memory of the device for the program.
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
        """Returns the UUID of the device that Batchpeak makes visible to the program, or else of the only device."""
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        is_one = visible.startswith(("GPU-", "MIG-")) and "," not in visible
        return visible if is_one else self._nvml.uuid_of_only_device()

    def uuid(self) -> str:
        own = getattr(self._cuda.get_device_properties(self._cuda.current_device()), "uuid", None)
        return "GPU-%s" % own if own else self._nvml.uuid_of_only_device()

    def _free_and_total(self) -> tuple[int, int]:
        """Returns free and total bytes. If the GPU uses main memory, CUDA does not count page cache as free and
        ignores control groups, so the kernel's values are used."""
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
        # A fraction that is rounded down would refuse allocations within the limit.
        self._cuda.set_per_process_memory_fraction(min(1.0, (limit + 1) / total))
        return limit

    def limited(self):
        """Does nothing: torch enforces the limit itself."""
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
        """Records an event on the device, so that the host does not wait within a chain of steps."""
        event = self._cuda.Event(enable_timing=True)
        event.record()
        return event

    def intervals(self, marks: list) -> list[float]:
        """Returns the seconds between marks. Call it after synchronize()."""
        return [before.elapsed_time(after) / 1000 for before, after in zip(marks, marks[1:])]

    def gates(self, others) -> list:
        # One thread launches the work of a GPU: this one in forward, autograd's in backward.
        gates: list = [ProcessorGate(1, launches=True, others=others)]
        uuid = self.uuid()
        return gates + [NvidiaGate(self._nvml, uuid)] if uuid else gates


def _allocator_settings() -> str:
    """Returns the user's settings of the allocator; torch reads them from both variables."""
    names = ("PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")


def _tensor_bytes_within(host_bytes: int) -> int:
    """Returns the part of main memory that tensors may use. Other memory of the process is needed too, some of it
    in proportion to tensors: see core/network/cpu_device_memory.cpp."""
    return max(0, host_bytes - (200 << 20)) // 11 * 10
