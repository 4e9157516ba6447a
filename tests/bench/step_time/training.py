# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Their side: an eager training step as users of PyTorch write it, or with adapters as users of PEFT do."""

import time
from collections.abc import Callable
from contextlib import nullcontext

import torch
from torch import Tensor
from parity.adapters import Tuned, Tuning, tune
from parity.networks.network import Batch, Network
from parity.quantization import code_tables, quantized_tensors

from torchao.dtypes.nf4tensor import NF4Tensor

from .table import StepBlock

# The hyperparameters of core/network/optimizers/optimizer_step.cpp.
LEARNING_RATE = 3e-4
BETAS = (0.9, 0.95)
EPSILON = 1e-8
WEIGHT_DECAY = 0.1
WARM_UP_STEPS = 2


class Training:
    def __init__(
        self,
        network: Network,
        device: str,
        precision: str,
        checkpoints: bool = False,
        tuning: Tuning | None = None,
    ):
        """With adapters and precision bf16, all other parameters have 16 bits."""
        self._network = network
        self._device = device
        self._precision = precision
        # Drops the values of Tuned, which would need the memory of the weights again.
        self._load_message = _tuned(network, tuning, precision).message if tuning else {}
        network.module.to(device).train()
        if checkpoints:
            network.module.gradient_checkpointing_enable({"use_reentrant": False})
        torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
        parameters = [parameter for parameter in network.module.parameters() if parameter.requires_grad]
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

    def load_message(self) -> dict[str, object]:
        """Returns the tuning of the load message for our worker."""
        return self._load_message

    def prepare(self, micro_batch_size: int) -> None:
        self._batch = self._network.batch(micro_batch_size).to(self._device)

    def run(self, steps: int) -> StepBlock:
        """Warms up, then times steps as in gradient accumulation, and the optimizer step after them."""
        for _ in range(WARM_UP_STEPS):
            self._step()
        *seconds, optimizer = self._timed_by_events(steps) if self._on_gpu() else self._timed_by_clock(steps)
        peak_bytes = self.peak_bytes()
        if self._on_gpu():
            # The steps of the other side need the memory.
            torch.cuda.empty_cache()
        return StepBlock([second + optimizer for second in seconds], peak_bytes, [])

    def _step(self) -> None:
        self._micro_batch()
        self._optimize()

    def _micro_batch(self) -> None:
        self.loss().backward()

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

    def peak_bytes(self) -> int:
        """Returns the peak bytes of a step. PyTorch records no peak on the CPU, so it is computed: the bytes held
        before the step plus the allocations and frees that the profiler saw during the step, in order."""
        if self._on_gpu():
            torch.cuda.reset_peak_memory_stats(self._device)
            self._step()
            return torch.cuda.max_memory_allocated(self._device)
        held = _storage_bytes(self.held())
        with torch.autograd.profiler.profile(profile_memory=True, use_kineto=True) as profile:
            self._step()
        changes = [event for event in profile.kineto_results.events() if event.name() == "[memory]"]
        current = peak = held
        for event in sorted(changes, key=lambda change: change.start_ns()):
            current += event.nbytes()
            peak = max(peak, current)
        return peak

    def held(self) -> list[Tensor]:
        """Returns parameters, buffers, optimizer state and the batch; gradients are None between steps."""
        return [*self._weights(), *self._batch.arguments.values(), *self._optimizer_state()]

    def weight_bytes(self) -> int:
        """Returns the bytes of weights, including the scales of quantized matrices."""
        return _storage_bytes(self._weights())

    def optimizer_bytes(self) -> int:
        return _storage_bytes(self._optimizer_state())

    def loss(self) -> Tensor:
        with self._autocast():
            return self._network.loss(self._batch)

    def _weights(self) -> list[Tensor]:
        module = self._network.module
        # A matrix of torchao has no storage of its own; quantized_tensors() returns the tensors that it consists of.
        return [
            *(parameter for parameter in module.parameters() if not isinstance(parameter, NF4Tensor)),
            *module.buffers(),
            *quantized_tensors(module),
            *code_tables(module),
        ]

    def _optimizer_state(self) -> list[Tensor]:
        states = self._optimizer.state.values()
        return [value for state in states for value in state.values() if isinstance(value, Tensor)]


def _storage_bytes(tensors: list[Tensor]) -> int:
    """Returns the bytes of the tensors' storages, each once."""
    storages = (tensor.untyped_storage() for tensor in tensors)
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())


def _tuned(network: Network, tuning: Tuning, precision: str) -> Tuned:
    # The network has this dtype when it is loaded. PEFT adds adapters later and keeps them in fp32
    # (autocast_adapter_dtype).
    if precision != "bf16":
        return tune(network, tuning)
    network.module.to(torch.bfloat16)
    return tune(network, tuning, torch.bfloat16)
