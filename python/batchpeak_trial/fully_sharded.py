# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""FSDP2 and FSDP1: each process holds a shard, and gathers the parameters of one layer at a time."""

from __future__ import annotations

import contextlib

import torch

from .one_process import OneProcess
from .processes import Processes
from .serving import Refusal

# Share of the free memory of a device that a whole network may take while it is built.
_MOST_WHOLE = 0.5
_NARROW = {"bf16": torch.bfloat16, "fp16": torch.float16}


class _FullySharded(OneProcess):
    def __init__(self, request: dict, processes: Processes, device: torch.device):
        super().__init__()
        self._count, self._device = processes.count, device
        self._reshards = request.get("sharding") == "parameters"
        self._narrow = _NARROW.get(request.get("precision"))
        shards = request.get("shards") or 0
        self._shards = shards if 1 < shards < self._count and self._count % shards == 0 else self._count
        if shards > self._count:
            self.approximations.append("sharding over fewer devices")
        elif 1 < shards < self._shards:
            self.approximations.append("sharding over more devices")
        if request.get("preference_reference"):
            self.approximations.append("a reference network that is not sharded")

    def place_to_build(self, bytes_: int) -> torch.device | None:
        """Returns the CPU for a network that fits only in shards: wrap() moves it to the device layer by layer."""
        if self._device.type == "cpu":
            return None
        free, _ = torch.cuda.mem_get_info(self._device)
        return torch.device("cpu") if bytes_ > _MOST_WHOLE * free else None

    @property
    def _is_hybrid(self) -> bool:
        return self._shards < self._count

    def _mesh(self):
        """Returns the mesh of all processes: one dimension, or groups that shard and replicate each other."""
        from torch.distributed.device_mesh import init_device_mesh

        if not self._is_hybrid:
            return init_device_mesh(self._device.type, (self._count,))
        shape = (self._count // self._shards, self._shards)
        return init_device_mesh(self._device.type, shape, mesh_dim_names=("replicate", "shard"))


class Fsdp2(_FullySharded):
    """fully_shard() of torch, as fsdp2_prepare_model in utils/fsdp_utils.py of accelerate 1.15 applies it."""

    name = "FSDP2"
    place = "on parameters that FSDP2 shards (choose another optimizer, or fsdp1)"

    def wrap(self, module, leaves_out: bool = False):
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

        kind = self._narrow
        policy = MixedPrecisionPolicy(kind, kind, kind) if kind else MixedPrecisionPolicy()
        options: dict = {"mesh": self._mesh(), "mp_policy": policy}
        if ignored := _whole_parameters(module):
            options["ignored_params"] = ignored
            self.approximations.append("quantized matrices that are not sharded")
        for layer in reversed(layers_of(module)):
            fully_shard(layer, reshard_after_forward=self._reshards, **options)
        first, last = _ends_of(module)
        if first:
            fully_shard(first, reshard_after_forward=self._reshards, **options)
        if last:
            # Backward needs them again at once.
            fully_shard(last, reshard_after_forward=False, **options)
        # By default, the root keeps its parameters if the others reshard.
        fully_shard(module, reshard_after_forward=None if self._reshards else False, **options)
        return module


class Fsdp1(_FullySharded):
    """FullyShardedDataParallel, with use_orig_params as accelerate 1.15 sets it by default."""

    name = "FSDP1"

    def __init__(self, request: dict, processes: Processes, device: torch.device):
        super().__init__(request, processes, device)
        self._wrapper = None
        self._scales_loss = request.get("precision") in ("fp16", "pure-fp16")
        if request.get("updates_in_backward"):
            raise Refusal("FSDP1 cannot update weights within backward; ask for fsdp2.")
        is_adapted = (request.get("tuning") or {}).get("adapter", "none") != "none"
        if is_adapted and request.get("preference") in ("dpo", "kto"):
            # The reference pass calls the network within the wrapper, which has no parameters gathered.
            raise Refusal("FSDP1 does not run a network with its adapters disabled; ask for fsdp2.")

    def wrap(self, module, leaves_out: bool = False):
        from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecision, ShardingStrategy
        from torch.distributed.fsdp.wrap import ModuleWrapPolicy

        strategies = {
            (True, False): ShardingStrategy.FULL_SHARD,
            (False, False): ShardingStrategy.SHARD_GRAD_OP,
            (True, True): ShardingStrategy.HYBRID_SHARD,
            (False, True): ShardingStrategy._HYBRID_SHARD_ZERO2,
        }
        kind, layers = self._narrow, {type(layer) for layer in layers_of(module)}
        self._wrapper = FullyShardedDataParallel(
            module,
            device_mesh=self._mesh(),
            sharding_strategy=strategies[self._reshards, self._is_hybrid],
            auto_wrap_policy=ModuleWrapPolicy(layers) if layers else None,
            mixed_precision=MixedPrecision(kind, kind, kind) if kind else None,
            device_id=self._device,
            use_orig_params=True,
        )
        return self._wrapper

    def made(self, kind, parameters: list, **options):
        if options.get("fused") and self._scales_loss:
            # What ShardedGradScaler of torch 2.11 passes to a fused kernel has the wrong shape.
            raise TypeError("ShardedGradScaler takes no fused optimizer.")
        return super().made(kind, parameters, **options)

    def clip(self, parameters: list, norm: float) -> None:
        self._wrapper.clip_grad_norm_(norm)

    def scaler(self, device: torch.device, scale: float):
        from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler

        return ShardedGradScaler(device.type, init_scale=scale)


def layers_of(module) -> list:
    """Returns the layers that are sharded one by one: those that transformers does not split over devices, or else
    lists of modules of one class. Parameters that a layer shares with another part stay with the root."""
    named = set(getattr(module, "_no_split_modules", None) or ())
    found = [part for part in module.modules() if type(part).__name__ in named]
    for parts in () if found else module.modules():
        is_list = isinstance(parts, (torch.nn.ModuleList, torch.nn.Sequential)) and len(parts) > 1
        if is_list and len({type(part) for part in parts}) == 1:
            found += parts
    owners: dict[int, int] = {}
    for part in module.modules():
        for parameter in part.parameters(recurse=False):
            owners[id(parameter)] = owners.get(id(parameter), 0) + 1
    return [part for part in dict.fromkeys(found) if part is not module and _is_apart(part, owners)]


def _is_apart(layer, owners: dict[int, int]) -> bool:
    own: dict[int, int] = {}
    for part in layer.modules():
        for parameter in part.parameters(recurse=False):
            own[id(parameter)] = own.get(id(parameter), 0) + 1
    return bool(own) and all(owners[key] == count for key, count in own.items())


def _whole_parameters(module) -> set:
    """Returns frozen parameters that hold codes of quantized matrices, which DTensor cannot hold."""
    return {part for part in module.parameters() if not part.requires_grad and not part.is_floating_point()}


def _ends_of(module) -> tuple[list, list]:
    """Returns the modules before and after the layers, each of which form a group of their own."""
    inner = module.get_base_model() if hasattr(module, "get_base_model") else module
    before = after = None
    with contextlib.suppress(AttributeError, NotImplementedError):
        before, after = inner.get_input_embeddings(), inner.get_output_embeddings()
    is_tied = getattr(before, "weight", None) is getattr(after, "weight", False)
    last = [_final_normalization(inner), *([before] if is_tied else []), after]
    return _unsharded([] if is_tied else [before]), _unsharded(last)


def _unsharded(parts: list) -> list:
    from torch.distributed.tensor import DTensor

    def is_free(part) -> bool:
        held = list(part.parameters())
        return bool(held) and not any(isinstance(parameter, DTensor) for parameter in held)

    return [part for part in parts if part is not None and is_free(part)]


def _final_normalization(inner):
    base = getattr(inner, getattr(inner, "base_model_prefix", "") or "", inner)
    named = base.named_children() if isinstance(base, torch.nn.Module) else ()
    found = [part for _, part in named if "Norm" in type(part).__name__]
    return found[-1] if found else None
