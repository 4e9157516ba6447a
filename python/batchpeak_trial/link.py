# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures what processes pay to reduce gradients, to project it for more processes.

A ring all-reduce of n bytes among p processes takes 2 (p - 1) (alpha + n / p * beta) seconds: each of 2 (p - 1) rounds
sends n / p bytes to the next process (Patarasuk and Yuan, doi.org/10.1016/j.jpdc.2008.09.002)."""

from __future__ import annotations

import math
import statistics
import sys
import time

# In one to four buckets of 25 MiB, DistributedDataParallel reduces the gradients of a small network.
_SIZES = tuple(1 << power for power in range(10, 27, 2))
_SECONDS, _FEWEST, _MOST = 2.5, 3, 50


def can_be_measured() -> bool:
    distributed = sys.modules.get("torch.distributed")
    return bool(distributed and distributed.is_available() and distributed.is_initialized())


def measured() -> dict:
    """Returns the number of processes and, for each size, its bytes and the seconds of an all-reduce. All processes
    call it at the same time, and get the same numbers."""
    torch = sys.modules["torch"]
    is_gpu = torch.distributed.get_backend() == "nccl"
    device = torch.device("cuda", torch.cuda.current_device()) if is_gpu else torch.device("cpu")
    seconds = []
    for size in _SIZES:
        values = torch.zeros(size // 4, device=device)
        # The first connects the processes.
        first = max(_timed(torch, values), _timed(torch, values))
        count = int(_SECONDS / len(_SIZES) / max(_slowest(torch, [first], device)[0], 1e-9))
        times = [_timed(torch, values) for _ in range(min(max(count, _FEWEST), _MOST))]
        seconds.append(statistics.median(_slowest(torch, times, device)))
    return {"processes": torch.distributed.get_world_size(), "bytes": list(_SIZES), "seconds": seconds}


def fitted(times: dict) -> dict:
    """Returns alpha and beta, and the root mean square of the relative errors of the fit."""
    count = times["processes"]
    measured_ = list(zip(times["bytes"], times["seconds"]))
    rounds = 2 * (count - 1)
    # t = rounds * alpha + rounds * n / count * beta, divided by t: both sides are relative.
    rows = [(rounds / seconds, rounds * size / count / seconds) for size, seconds in measured_]
    alpha, beta = _least_squares(rows)
    squares = [(alpha * ones + beta * bytes_ - 1) ** 2 for ones, bytes_ in rows]
    error = math.sqrt(sum(squares) / len(squares))
    fields = {"alpha_seconds": alpha, "beta_seconds_per_byte": beta, "relative_error": error}
    return {"processes": count, **fields}


def predicted_seconds(link: dict, bytes_: int, processes: int) -> float:
    each = link["alpha_seconds"] + bytes_ / processes * link["beta_seconds_per_byte"]
    return 2 * (processes - 1) * each


def _least_squares(rows: list[tuple[float, float]]) -> tuple[float, float]:
    """Returns x and y, both at least 0, with the least squares of a x + b y - 1."""
    aa, ab, bb = (sum(row[i] * row[j] for row in rows) for i, j in ((0, 0), (0, 1), (1, 1)))
    a, b = sum(row[0] for row in rows), sum(row[1] for row in rows)
    determinant = aa * bb - ab * ab
    x, y = (a * bb - b * ab) / determinant, (aa * b - ab * a) / determinant
    if x < 0:
        return 0.0, b / bb
    return (x, y) if y >= 0 else (a / aa, 0.0)


def _timed(torch, values) -> float:
    torch.distributed.barrier()
    _wait_for(torch, values)
    begin = time.perf_counter()
    torch.distributed.all_reduce(values)
    _wait_for(torch, values)
    return time.perf_counter() - begin


def _wait_for(torch, values) -> None:
    if values.device.type == "cuda":
        torch.cuda.synchronize()


def _slowest(torch, times: list[float], device) -> list[float]:
    """Returns for each time that of the slowest process."""
    shared = torch.tensor(times, dtype=torch.float64, device=device)
    torch.distributed.all_reduce(shared, op=torch.distributed.ReduceOp.MAX)
    return shared.tolist()
