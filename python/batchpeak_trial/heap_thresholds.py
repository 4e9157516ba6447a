# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What glibc's malloc keeps of freed blocks, as in a process that runs steps of one size alone:
core/network/heap_thresholds.h, which tells why."""

from __future__ import annotations

import contextlib
import ctypes

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_SMALLEST, _LARGEST = 128 << 10, 32 << 20
_PAGE, _BESIDE_BLOCK = 4096, 128
# Of mallopt() in malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


class HeapThresholds:
    """Which blocks torch frees nobody tells: a first step of each size is watched for what its operations
    make."""

    def __init__(self, set_option=None):
        self._set_option = set_option or _mallopt()
        self._raised: dict[int, int] = {}
        self._size = 0

    def begin(self, size: int) -> None:
        """From here on blocks are those of this size."""
        if size == self._size:
            return
        self._size = size
        self._set(self._raised.get(size, _SMALLEST))

    def watching(self):
        """Around a step of the size that was begun."""
        return contextlib.nullcontext() if self._size in self._raised else self._watch()

    @contextlib.contextmanager
    def _watch(self):
        results = _Results()
        with results:
            yield
        self._raised[self._size] = results.largest
        self._set(results.largest)

    def _set(self, threshold: int) -> None:
        # Either ends malloc's own adjustment. Free memory at the heap's end is kept up to twice the size.
        self._set_option(_M_MMAP_THRESHOLD, threshold)
        self._set_option(_M_TRIM_THRESHOLD, 2 * threshold)


class _Results(TorchDispatchMode):
    """largest is that of malloc's chunks of new tensors, of those that raise its threshold."""

    def __init__(self):
        super().__init__()
        self.largest = _SMALLEST

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        given = {_address_of(value) for value in args}
        for value in made if isinstance(made, (tuple, list)) else (made,):
            # A view has the address of what was given.
            if _address_of(value) not in given | {None}:
                self._see(value.untyped_storage().nbytes())
        return made

    def _see(self, bytes_: int) -> None:
        chunk = -(-(bytes_ + _BESIDE_BLOCK) // _PAGE) * _PAGE
        if self.largest < chunk <= _LARGEST:
            self.largest = chunk


def _address_of(value) -> int | None:
    """None of what is no tensor, or one that is made of others."""
    try:
        return value.untyped_storage().data_ptr()
    except (AttributeError, NotImplementedError, RuntimeError):
        return None


def _mallopt():
    """Of a C library that is not glibc nothing is known."""
    library = ctypes.CDLL(None)
    return library.mallopt if hasattr(library, "gnu_get_libc_version") else lambda option, value: None
