# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps glibc malloc's thresholds for each size as in a process that runs steps of that size alone:
core/network/heap_thresholds.h says why."""

from __future__ import annotations

import contextlib
import ctypes

import torch
from torch.utils._python_dispatch import TorchDispatchMode

_SMALLEST, _LARGEST = 128 << 10, 32 << 20
_PAGE, _BESIDE_BLOCK = 4096, 128
# Options of mallopt() from malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3


class HeapThresholds:
    """Sets malloc's thresholds for each size. torch does not report the blocks that it frees, so the first step of
    each size is watched for the tensors that its operations allocate."""

    def __init__(self, set_option=None):
        self._set_option = set_option or _mallopt()
        self._raised: dict[int, int] = {}
        self._size = 0

    def begin(self, size: int) -> None:
        """Says that the following blocks belong to this size."""
        if size == self._size:
            return
        self._size = size
        self._set(self._raised.get(size, _SMALLEST))

    def watching(self):
        """Returns a context manager for a step of the size of begin(); it watches the first step of a size."""
        return contextlib.nullcontext() if self._size in self._raised else self._watch()

    @contextlib.contextmanager
    def _watch(self):
        results = _Results()
        with results:
            yield
        self._raised[self._size] = results.largest
        self._set(results.largest)

    def _set(self, threshold: int) -> None:
        # Setting either option stops malloc's dynamic adjustment. malloc keeps up to twice the threshold of free
        # memory at the top of the heap.
        self._set_option(_M_MMAP_THRESHOLD, threshold)
        self._set_option(_M_TRIM_THRESHOLD, 2 * threshold)


class _Results(TorchDispatchMode):
    """Watches new tensors. largest is the size of the largest malloc chunk that would raise the threshold."""

    def __init__(self):
        super().__init__()
        self.largest = _SMALLEST

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **(kwargs or {}))
        given = {_address_of(value) for value in args}
        for value in made if isinstance(made, (tuple, list)) else (made,):
            # A view has the address of an argument.
            if _address_of(value) not in given | {None}:
                self._see(value.untyped_storage().nbytes())
        return made

    def _see(self, bytes_: int) -> None:
        chunk = -(-(bytes_ + _BESIDE_BLOCK) // _PAGE) * _PAGE
        if self.largest < chunk <= _LARGEST:
            self.largest = chunk


def _address_of(value) -> int | None:
    """Returns None for a value that is not a tensor, or that consists of other tensors."""
    try:
        return value.untyped_storage().data_ptr()
    except (AttributeError, NotImplementedError, RuntimeError):
        return None


def _mallopt():
    """Returns mallopt() of glibc, or a function that does nothing for another C library."""
    library = ctypes.CDLL(None)
    return library.mallopt if hasattr(library, "gnu_get_libc_version") else lambda option, value: None
