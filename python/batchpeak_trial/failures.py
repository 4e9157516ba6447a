# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classifies exceptions of steps, as core/network/failure.cpp does for batchpeak-worker."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_LOST, _DEVICE, _HOST, _INPUT = "lost process", "device memory", "host memory", "input"

# The first text that a message contains decides. Texts of a lost context come first: whatever follows them in a
# message is the library's guesswork.
_SIGNS = (
    ("illegal memory access", _LOST),
    ("device-side assert", _LOST),
    ("unspecified launch failure", _LOST),
    ("misaligned address", _LOST),
    ("illegal instruction", _LOST),
    ("uncorrectable ecc", _LOST),
    ("launch timed out", _LOST),
    ("status_mapping_error", _LOST),
    ("error_device_lost", _LOST),
    ("nccl error", _LOST),
    ("can't allocate memory", _HOST),
    ("cannot allocate memory", _HOST),
    # NumPy's message.
    ("unable to allocate", _HOST),
    ("not enough memory", _HOST),
    ("std::bad_alloc", _HOST),
    ("out_of_host_memory", _HOST),
    ("host_allocation_failed", _HOST),
    ("out of memory", _DEVICE),
    ("out_of_memory", _DEVICE),
    ("outofmemory", _DEVICE),
    ("out_of_device_memory", _DEVICE),
    ("resource_exhausted", _DEVICE),
    # TensorFlow's message.
    ("oom when allocating", _DEVICE),
    ("alloc_failed", _DEVICE),
    ("allocation_failed", _DEVICE),
    ("allocfailed", _DEVICE),
    ("rocblas_status_memory_error", _DEVICE),
    ("allocation is out of device memory", _DEVICE),
    ("module:pt_devmem allocation failed", _DEVICE),
    ("invalid buffer size", _DEVICE),
    ("cufft_internal_error", _DEVICE),
    # libc10_cuda asks NVML which processes hold the memory before it reports out of memory, and asserts that NVML
    # answers.
    ("nvml_success ==", _DEVICE),
    ("would exceed allowed memory", _DEVICE),
    ("cudnn_status_not_supported", _DEVICE),
    ("cudnn_status_internal_error", _DEVICE),
    # cuDNN has tried each algorithm, and does not report that their workspaces did not fit.
    ("unable to find an engine to execute", _DEVICE),
    ("unable to find a valid cudnn algorithm", _DEVICE),
    # These are often out of memory in disguise, which a fresh process finds out.
    ("blas_status_not_initialized", _LOST),
    ("blas_status_execution_failed", _LOST),
    ("blas_status_internal_error", _LOST),
    ("cudnn_status_execution_failed", _LOST),
    ("error_out_of_resources", _LOST),
    ("handles_.at(i)", _LOST),
    ("device not ready", _LOST),
    # More than a kernel or a library can count.
    ("invalid configuration argument", _INPUT),
    ("integer overflow", _INPUT),
    ("integer multiplication overflow", _INPUT),
    ("integer out of range", _INPUT),
    ("canuse32bitindexmath", _INPUT),
    ("int_max", _INPUT),
    ("too large to fit into a", _INPUT),
    ("tensor is too large", _INPUT),
    ("tensor too large", _INPUT),
    ("storage size calculation overflowed", _INPUT),
    ("stride calculation overflowed", _INPUT),
    ("blas_status_invalid_value", _INPUT),
    ("cudnn_status_bad_param", _INPUT),
)
_UNITS = {"bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_REQUESTED = re.compile(r"(?:tried|unable) to allocate ([0-9.]+) ?(bytes|kib|mib|gib)")


class UnsupportedSize(Exception):
    """Raised for a size that cannot be run, whatever memory there is; its text says why."""


@dataclass(frozen=True)
class Failure:
    """What a failed step means for its trial. outcome is a word of the protocol; sticky means that only a fresh
    process can go on."""

    text: str
    outcome: str = "failed"
    sticky: bool = False
    # Size of the refused allocation; 0 if it is unknown.
    requested_bytes: int = 0
    # Main memory ran out, not that of the GPU.
    is_of_host: bool = False


class FailureElsewhere(Exception):
    """Failure of another process that takes the same steps; peaks are its allocated and reserved bytes."""

    def __init__(self, rank: int, failure: Failure, peaks: tuple[int, int]):
        text = "In the process of rank %d: %s" % (rank, failure.text)
        super().__init__(text)
        self.rank, self.peaks = rank, peaks
        self.failure = replace(failure, text=text)


def text_of(error: BaseException) -> str:
    if isinstance(error, FailureElsewhere):
        return str(error)
    return "%s: %s" % (type(error).__name__, error)


def requested_bytes(text: str) -> int:
    match = _REQUESTED.search(text.lower())
    try:
        return round(float(match[1]) * _UNITS[match[2]]) if match else 0
    except (OverflowError, ValueError):
        return 0


def is_of_memory(error: BaseException) -> bool:
    """Returns whether memory of the device or main memory ran out."""
    return classify(error, False).outcome == "oom"


def classify(error: BaseException, has_gpu: bool) -> Failure:
    """Classifies an exception. With a GPU, main memory is reported separately, since it may run out at other sizes
    too."""
    if isinstance(error, FailureElsewhere):
        return error.failure
    if isinstance(error, UnsupportedSize):
        return Failure(str(error), "unsupported")
    text = text_of(error)
    lower = text.lower()
    cause = next((cause for sign, cause in _SIGNS if sign in lower), None)
    if isinstance(error, MemoryError):
        cause = _HOST
    if type(error).__name__ == "OutOfMemoryError" and cause != _LOST:
        cause = _DEVICE
    if cause == _LOST:
        return Failure(text, sticky=True)
    if cause == _INPUT:
        return Failure(text, "unsupported")
    if cause is None:
        return Failure(text)
    return Failure(
        text, "oom", requested_bytes=requested_bytes(text), is_of_host=has_gpu and cause == _HOST
    )
