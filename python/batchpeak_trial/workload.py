# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of a load message with all that its steps need: what batchpeak-worker calls a loaded
network."""

from __future__ import annotations

import contextlib
import gc

import torch

from .adapters import all_elements, tune
from .batches import Batches
from .descriptions import completed, parameters_of
from .networks import build, refuse
from .optimizers import OptimizerStep
from .serving import Refusal

_TYPES = {
    "fp32": torch.float32,
    "tf32": torch.float32,
    "bf16": torch.float32,
    "pure-bf16": torch.bfloat16,
    "plain-bf16": torch.bfloat16,
    "fp16": torch.float32,
    "pure-fp16": torch.float16,
    "plain-fp16": torch.float16,
}
_AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}
_MOMENT_BYTES = {
    "adamw-8bit": 2.0,
    "adamw-4bit": 1.0,
    "adamw-32bit": 8.0,
    "lion": 4.0,
    "lion-8bit": 1.0,
    "adafactor": 0.0,
}


class Workload:
    """Steps on random samples. Raises Refusal where it could not run as it was asked to."""

    def __init__(self, request: dict, device: torch.device):
        self.request, self.device = request, device
        self.approximations: list[str] = []
        self.model = completed(request["model"])
        self._trains = request.get("phase", "train") == "train"
        self._precision = request.get("precision", "fp32")
        _refuse_other_steps(request, self._precision)
        self.approximations += _approximations_of(request)
        _choose_ways(request, self._precision)
        exercise(device)
        torch.manual_seed(request.get("seed", 1))
        self._module, self.parameters = self._make_module()
        kernel = getattr(getattr(self._module, "config", None), "_attn_implementation", None) or ""
        # What torch chooses behind its one function nobody can tell.
        self.attention = {"eager": "math"}.get(kernel, kernel)
        self._batches = Batches(self.model, request, device)
        self._optimizer = self._make_optimizer() if self._trains else None

    def step(self, size: int, count: int):
        """count micro-batches make an optimizer step."""
        batch = self._batches.of(size)
        with torch.set_grad_enabled(self._trains):
            loss = self._loss(batch) / count
        if not self._trains:
            return None
        yield
        self._optimizer.scaled(loss).backward()
        del loss, batch
        yield
        return self._optimizer.run()

    def recover(self) -> None:
        self._batches.drop()
        if self._optimizer:
            self._optimizer.recover()
        exercise(self.device)

    def _loss(self, batch: dict) -> torch.Tensor:
        kind = _AUTOCAST.get(self._precision)
        casts = torch.autocast(self.device.type, kind) if kind else contextlib.nullcontext()
        with casts:
            if self.model["family"] == "resnet":
                logits = self._module(self._typed(batch["pixel_values"]))
                return torch.nn.functional.cross_entropy(logits.float(), batch["labels"])
            if "pixel_values" in batch:
                batch["pixel_values"] = self._typed(batch["pixel_values"])
            return self._module(**batch).loss

    def _typed(self, images: torch.Tensor) -> torch.Tensor:
        images = images.to(_TYPES[self._precision])
        is_last = self.request.get("channels_last")
        return images.contiguous(memory_format=torch.channels_last) if is_last else images

    def _make_module(self):
        trained = _TYPES[self._precision]
        module = self._built(trained)
        untuned = sum(parameter.numel() for parameter in module.parameters())
        if hasattr(module, "config"):
            module.config.use_cache = False
        tuning = self.request.get("tuning")
        if tuning:
            module = self._tuned(module, tuning)
        for parameter in module.parameters():
            if parameter.requires_grad and parameter.dtype != trained:
                parameter.data = parameter.data.to(trained)
        if self.request.get("channels_last"):
            module.to(memory_format=torch.channels_last)
        if self._trains and self.request.get("activation_checkpointing"):
            _checkpoint(module, self.model)
        module.train(self._trains)
        return module, all_elements(module, untuned)

    def _tuned(self, module, tuning: dict):
        if self.model["family"] == "resnet" and tuning.get("adapter", "none") != "none":
            raise refuse("Adapters stand beside linear layers, which a ResNet has but one of.")
        frozen = tuning.get("frozen_weights", "same")
        if not self._trains and frozen == "same" and tuning.get("adapter", "none") == "none":
            return module
        return tune(module, self.model, tuning, self.device)

    def _built(self, kind: torch.dtype):
        before = torch.get_default_dtype()
        torch.set_default_dtype(self._held_type(kind))
        try:
            with self.device:
                return build(self.model, self._attention())
        finally:
            torch.set_default_dtype(before)

    def _held_type(self, kind: torch.dtype) -> torch.dtype:
        """A base that is held in fewer bits than what is trained never lies there in more."""
        tuning = self.request.get("tuning") or {}
        is_adapted = tuning.get("adapter", "none") != "none"
        narrow = tuning.get("frozen_weights", "same") in ("bf16", "nf4", "int8")
        return torch.bfloat16 if is_adapted and narrow else kind

    def _attention(self) -> str | None:
        return "eager" if self.request.get("attention") == "math" else None

    def _make_optimizer(self) -> OptimizerStep:
        parameters = [parameter for parameter in self._module.parameters() if parameter.requires_grad]
        if not parameters:
            raise Refusal("Nothing of the network is trained. Say what is, by tuning.")
        return OptimizerStep(self.request, parameters, self.device, self.approximations)


def needed_bytes(request: dict) -> int:
    """At least, before the first sample: to tell a network that cannot fit before anything is allocated."""
    model = completed(request["model"])
    count = parameters_of(model) or 0
    tuning = request.get("tuning") or {}
    width = _TYPES.get(request.get("precision", "fp32"), torch.float32).itemsize
    if tuning.get("adapter", "none") != "none" or tuning.get("trained_parts"):
        frozen = {"nf4": 0.5, "int8": 1, "bf16": 2, "fp32": 4}
        return int(count * frozen.get(tuning.get("frozen_weights", "same"), width))
    if request.get("phase", "train") != "train":
        return count * width
    has_masters = request.get("precision", "").startswith("pure")
    copy = 4 if has_masters else width
    moments = 2 * copy
    if request.get("optimizer") == "sgd":
        moments = copy if request.get("momentum", True) else 0
    moments = _MOMENT_BYTES.get(request.get("optimizer"), moments)
    return int(count * (2 * width + (4 if has_masters else 0) + moments))


def exercise(device: torch.device) -> None:
    """Makes the matrix libraries take their workspaces, on this thread and on autograd's, and drains what a
    failed backward has left in autograd's queue."""
    layer = torch.nn.Linear(16, 16, device=device)
    layer(torch.ones(1, 16, device=device)).sum().backward()
    del layer
    gc.collect()


def run_small_network(device: torch.device) -> None:
    """What libraries import and compile in a first step is theirs, and no memory of the network."""
    small = {"family": "gpt2", "vocabulary_size": 64, "hidden_size": 64, "layers": 1, "heads": 2}
    model = {**small, "feed_forward_size": 256, "max_positions": 16}
    workload = Workload({"model": model, "sequence_length": 16, "max_gradient_norm": 1.0}, device)
    for _ in workload.step(4, 1):
        pass


def _checkpoint(module, model: dict) -> None:
    if not getattr(module, "supports_gradient_checkpointing", False):
        raise refuse("The class of %s has no activation checkpointing." % model["family"])
    module.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})


def _refuse_other_steps(request: dict, precision: str) -> None:
    if precision not in _TYPES:
        raise refuse("The precision %r is unknown here." % precision)
    if request.get("shards", 1) > 1 and request.get("sharding", "none") != "none":
        raise refuse("What several devices hold together is not run here.")
    if request.get("optimizer_on_host"):
        raise refuse("An optimizer whose state lies in the host's memory is not run here.")
    if request.get("updates_in_backward"):
        raise refuse("Weights that are updated within backward are not run here.")


def _approximations_of(request: dict) -> list[str]:
    phrases = {
        "loss_chunk_rows": "a loss that is computed whole",
        "sample_lengths": "samples of one length",
        "packed_text_length": "packed texts that attend to each other",
    }
    found = [phrase for field, phrase in phrases.items() if request.get(field)]
    if (request.get("loss_parts") or 1) > 1 and phrases["loss_chunk_rows"] not in found:
        found.append(phrases["loss_chunk_rows"])
    if (request["model"].get("predicted_tokens") or 0) > 0:
        found.append("logits of all tokens in place of the masked ones")
    return found


def _choose_ways(request: dict, precision: str) -> None:
    """As torch.backends has them, for the whole process."""
    narrow = precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = narrow
    torch.backends.cudnn.allow_tf32 = narrow or bool(request.get("tf32_convolutions", True))
    torch.backends.cudnn.benchmark = bool(request.get("cudnn_benchmark", False))
    wanted = request.get("attention", "auto")
    # Where a device or a shape does not allow it, plain products take its place.
    torch.backends.cuda.enable_flash_sdp(wanted in ("auto", "flash", "math"))
    torch.backends.cuda.enable_mem_efficient_sdp(wanted in ("auto", "memory-efficient", "math"))
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(wanted in ("auto", "cudnn", "math"))
