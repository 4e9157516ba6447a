# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""How several processes share a network: each has its own micro-batch, and they reduce their gradients or shard the
network, with the library that the config's own run uses."""

from __future__ import annotations

import contextlib
import importlib

import torch

from .failures import is_of_memory
from .fully_sharded import Fsdp1, Fsdp2
from .one_process import OneProcess
from .processes import Processes
from .requirements import line_for
from .serving import Refusal
from .zero import DeepSpeed

LIBRARIES = ("fsdp2", "fsdp1", "deepspeed")
_KINDS = ("none", "optimizer", "gradients", "parameters")


def sharing_of(request: dict, processes: Processes, device: torch.device) -> OneProcess:
    """Raises Refusal."""
    if processes.count == 1:
        return OneProcess()
    sharding, library = request.get("sharding", "none"), request.get("sharding_library") or _default()
    if sharding not in _KINDS:
        raise Refusal("The sharding %r is unknown here; use one of %s." % (sharding, ", ".join(_KINDS)))
    if library not in LIBRARIES:
        raise Refusal("The sharding library %r is unknown here; use one of %s." % (library, ", ".join(LIBRARIES)))
    trains = request.get("phase", "train") == "train"
    if not trains and sharding != "parameters":
        # Nothing is communicated in a forward pass.
        return OneProcess()
    if sharding == "none":
        return Replicated(request, processes, device)
    if library == "deepspeed":
        return DeepSpeed(request, processes, device)
    if sharding == "optimizer":
        return ShardedOptimizer(request, processes, device)
    if library == "fsdp2" and not _has_fsdp2():
        text = "This torch (%s) has no FSDP2. To update it: %s. Or ask for fsdp1."
        raise Refusal(text % (torch.__version__, line_for("torch", updates=True)))
    return (Fsdp2 if library == "fsdp2" else Fsdp1)(request, processes, device)


def _default() -> str:
    return "fsdp2" if _has_fsdp2() else "fsdp1"


def _has_fsdp2() -> bool:
    # In this module since torch 2.6.
    return hasattr(importlib.import_module("torch.distributed.fsdp"), "fully_shard")


class Replicated(OneProcess):
    """DistributedDataParallel: each process holds the whole network, and gradients are reduced once for each
    optimizer step."""

    name = "DistributedDataParallel"
    reduces_once = True
    # DistributedDataParallel must be told whether a step leaves out parameters.
    asks_for_left_out = True

    def __init__(self, request: dict, processes: Processes, device: torch.device):
        super().__init__()
        self._device, self._wrapper = device, None
        if request.get("updates_in_backward"):
            text = "Weights cannot be updated within backward before the processes have reduced their gradients. "
            raise Refusal(text + "Shard the parameters by FSDP2, or let the optimizer step after backward.")

    def wrap(self, module, leaves_out: bool = False):
        devices = None if self._device.type == "cpu" else [self._device]
        # As in Trainer of transformers, which finds unused parameters except under activation checkpointing; where
        # there are none, the search only takes time.
        self._wrapper = torch.nn.parallel.DistributedDataParallel(
            module, device_ids=devices, find_unused_parameters=leaves_out
        )
        return self._wrapper

    def micro_batch(self, reduces: bool, is_last: bool):
        return contextlib.nullcontext() if reduces else self._wrapper.no_sync()


class ShardedOptimizer(Replicated):
    """ZeRO-1: as Replicated, but each process updates a share of the parameters and sends them to the others."""

    def __init__(self, request: dict, processes: Processes, device: torch.device):
        super().__init__(request, processes, device)
        shards = request.get("shards") or 0
        if 1 < shards != processes.count:
            how = "fewer" if shards > processes.count else "more"
            self.approximations.append("sharding over %s devices" % how)
        if request.get("precision") in ("pure-bf16", "pure-fp16"):
            self.approximations.append("fp32 master weights that are not sharded")

    def made(self, kind, parameters: list, **options):
        from torch.distributed.optim import ZeroRedundancyOptimizer

        return ZeroRedundancyOptimizer(parameters, optimizer_class=kind, **options)


def prepare() -> None:
    """Imports what ways to share a network need, before memory is measured."""
    for module in ("fsdp", "optim", "tensor", "device_mesh"):
        importlib.import_module("torch.distributed." + module)


def wrapped(sharing: OneProcess, module, leaves_out: bool):
    """Returns the module to call.

    Raises Refusal if the library does not take such a network."""
    try:
        return sharing.wrap(module, leaves_out)
    except Refusal:
        raise
    except Exception as error:  # each library checks what it is given in its own way
        if is_of_memory(error):
            raise
        text = "%s does not share this network among processes (%s: %s). "
        reason = " ".join(str(error).split())[:300].rstrip(".")
        advice = "Choose another sharding or another sharding library, or run one process."
        raise Refusal(text % (sharing.name, type(error).__name__, reason) + advice) from error
