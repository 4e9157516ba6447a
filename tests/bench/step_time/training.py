# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Their side: an eager training step as PyTorch's users write it."""

import time
from collections.abc import Callable
from contextlib import nullcontext

import torch
from torch import Tensor
from parity.networks.network import Batch, Network

from .table import StepBlock

# As core/network/optimizer_step.cpp has them.
LEARNING_RATE = 3e-4
BETAS = (0.9, 0.95)
EPSILON = 1e-8
WEIGHT_DECAY = 0.1
WARM_UP_STEPS = 2


class Training:
    def __init__(self, network: Network, device: str, precision: str, checkpoints: bool = False):
        self._network = network
        self._device = device
        self._precision = precision
        network.module.to(device).train()
        if checkpoints:
            network.module.gradient_checkpointing_enable({"use_reentrant": False})
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        parameters = list(network.module.parameters())
        matrices = [parameter for parameter in parameters if parameter.dim() > 1]
        vectors = [parameter for parameter in parameters if parameter.dim() <= 1]
        self._optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": WEIGHT_DECAY},
                {"params": vectors, "weight_decay": 0.0},
            ],
            lr=LEARNING_RATE,
            betas=BETAS,
            eps=EPSILON,
            fused=True,
        )
        self._batch: Batch | None = None

    def prepare(self, micro_batch_size: int) -> None:
        self._batch = self._network.batch(micro_batch_size).to(self._device)

    def run(self, steps: int) -> StepBlock:
        """Warms up, then times so many steps as accumulation runs them, and the optimizer behind them."""
        for _ in range(WARM_UP_STEPS):
            self._step()
        *seconds, optimizer = self._timed_by_events(steps) if self._on_gpu() else self._timed_by_clock(steps)
        return StepBlock([second + optimizer for second in seconds], self._peak_bytes(), [])

    def _step(self) -> None:
        self._micro_batch()
        self._optimize()

    def _micro_batch(self) -> None:
        with self._autocast():
            loss = self._network.loss(self._batch)
        loss.backward()

    def _optimize(self) -> None:
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)

    def _autocast(self):
        if self._precision != "bf16":
            return nullcontext()
        return torch.autocast(self._device.split(":")[0], dtype=torch.bfloat16)

    def _on_gpu(self) -> bool:
        return self._device.startswith("cuda")

    def _timed_by_clock(self, steps: int) -> list[float]:
        moments = [time.perf_counter()]
        for part in self._parts(steps):
            part()
            moments.append(time.perf_counter())
        return [end - begin for begin, end in zip(moments, moments[1:])]

    def _parts(self, steps: int) -> list[Callable[[], None]]:
        return [self._micro_batch] * steps + [self._optimize]

    def _timed_by_events(self, steps: int) -> list[float]:
        events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 2)]
        torch.cuda.synchronize(self._device)
        events[0].record()
        for part, event in zip(self._parts(steps), events[1:]):
            part()
            event.record()
        torch.cuda.synchronize(self._device)
        return [begin.elapsed_time(end) / 1000 for begin, end in zip(events, events[1:])]

    def _peak_bytes(self) -> int:
        """On the CPU, PyTorch keeps no peak: it is what is held before a step, and on top of it what the
        profiler saw allocated and freed during the step, summed up in the order of time."""
        if self._on_gpu():
            torch.cuda.reset_peak_memory_stats(self._device)
            self._step()
            return torch.cuda.max_memory_allocated(self._device)
        held = self._held_bytes()
        with torch.autograd.profiler.profile(profile_memory=True, use_kineto=True) as profile:
            self._step()
        changes = [event for event in profile.kineto_results.events() if event.name() == "[memory]"]
        current = peak = held
        for event in sorted(changes, key=lambda change: change.start_ns()):
            current += event.nbytes()
            peak = max(peak, current)
        return peak

    def _held_bytes(self) -> int:
        """Of parameters, buffers, optimizer state and the batch; gradients are None between steps."""
        tensors = [*self._network.module.parameters(), *self._network.module.buffers()]
        tensors += self._batch.arguments.values()
        for state in self._optimizer.state.values():
            tensors += [value for value in state.values() if isinstance(value, Tensor)]
        storages = {tensor.data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
        return sum(storages.values())
