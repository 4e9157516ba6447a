# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Joins the processes that torchrun has started for one run: docs.pytorch.org/docs/stable/elastic/run.html."""

from __future__ import annotations

import contextlib
import datetime
import os
from dataclasses import dataclass

# Processes wait for the slowest in a collective, which may compile its network. The parent ends a step that takes too
# long.
_LONGEST_WAIT = datetime.timedelta(hours=1)


# torchrun sets them, in the order of the fields of Processes.
_NAMES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")


@dataclass(frozen=True)
class Processes:
    """The processes of a run, and this one among them. local means on this computer."""

    rank: int = 0
    count: int = 1
    local_rank: int = 0
    local_count: int = 1


def launched() -> Processes:
    """Returns what the launcher has told this process; one process if there is no launcher."""
    try:
        told = Processes(*(int(os.environ[name]) for name in _NAMES))
    except (KeyError, ValueError):
        return Processes()
    return told if told.count > 1 else Processes()


@contextlib.contextmanager
def hidden():
    """Hides the other processes from a library that would wrap the network for them by itself."""
    names = _NAMES if launched().count > 1 else ()
    kept = {name: os.environ.pop(name) for name in names}
    try:
        yield
    finally:
        os.environ.update(kept)


def share_processors(processes: Processes) -> None:
    """Gives each process on this computer as many threads as the others. Call it before torch is imported.

    torchrun sets OMP_NUM_THREADS to 1 if it is not set (torch/distributed/run.py), and then nobody can tell it from a
    user's choice. One thread leaves processors idle, so 1 counts as not set; any other number is kept."""
    if processes.local_count > 1 and os.environ.get("OMP_NUM_THREADS", "1") == "1":
        available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        os.environ["OMP_NUM_THREADS"] = str(max(1, available // processes.local_count))


def join(torch, device) -> None:
    """Makes the process group of all processes on their devices."""
    backend = "gloo" if device.type == "cpu" else "nccl"
    torch.distributed.init_process_group(backend, timeout=_LONGEST_WAIT)


def is_so_anywhere(torch, processes: Processes, is_so: bool) -> bool:
    """Returns on every process whether it is so on any of them."""
    if processes.count == 1:
        return is_so
    told: list = [None] * processes.count
    torch.distributed.all_gather_object(told, is_so)
    return any(told)
