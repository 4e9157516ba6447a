# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network of a load message with everything that its steps need: the counterpart of a loaded network in
batchpeak-worker."""

from __future__ import annotations

import contextlib
import gc

import torch

from . import configured_networks, preferences, value_head
from .adapters import all_elements, tune
from .batches import Batches
from .configured_samples import ConfiguredSamples
from .descriptions import CONFIGURED, completed, parameters_of
from .failures import classify
from .heap_thresholds import HeapThresholds
from .networks import build, refuse
from .optimizers import OptimizerStep, StepsInBackward
from .processes import Processes
from .serving import Refusal
from .sharing import sharing_of, wrapped

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
# transformers' name of the library flash-attn.
_FLASH = "flash_attention_2"
# Largest number of sizes that are compiled, in training and evaluation.
_MOST_COMPILED = 1 << 12
_MOMENT_BYTES = {
    "adamw-8bit": 2.0,
    "adamw-4bit": 1.0,
    "adamw-32bit": 8.0,
    "lion": 4.0,
    "lion-8bit": 1.0,
    "adafactor": 0.0,
}


class Workload:
    """Runs steps on random samples. Raises Refusal if it cannot run what the request asks for."""

    def __init__(self, request: dict, device: torch.device, processes: Processes | None = None):
        self.request, self.device = request, device
        self._processes = processes or Processes()
        self.approximations: list[str] = []
        self.model = completed(request["model"])
        self._configured = configured_of(request)
        self._trains = request.get("phase", "train") == "train"
        self._precision = request.get("precision", "fp32")
        _refuse_other_steps(request, self._precision, self._processes.count)
        self._sharing, self._reduces = sharing_of(request, self._processes, device), True
        self.approximations += _approximations_of(request)
        self.approximations += self._configured.approximations() if self._configured else []
        _choose_ways(request, self._precision)
        self._preference, self._compilation = None, request.get("compilation")
        # Several processes compile the network that they share.
        self._is_compiled = bool(self._compilation) and self._processes.count == 1
        exercise(device)
        # Equal on all processes until each makes its own samples.
        torch.manual_seed(request.get("seed", 1))
        self._module, self.parameters = self._make_module()
        if request.get("preference"):
            self._prefer(request["preference"])
        kernel = getattr(getattr(self._module, "config", None), "_attn_implementation", None) or ""
        # With "sdpa", torch does not report which kernel it chooses.
        self.attention = {"eager": "math", _FLASH: "flash"}.get(kernel, kernel)
        if request.get("attention") == "flash" and kernel != _FLASH:
            self.approximations.append("attention that is not run here")
        self._batches = Batches(self.model, request, device, self._samples())
        # HeapThresholds cannot watch compiled steps.
        self._heap = HeapThresholds() if device.type == "cpu" and not self._compilation else None
        self._optimizer = None
        # The number of the last micro-batch in its chain, from 1.
        self._place = 0
        # The module to call: that of a library around the network, if processes share it.
        self._called = self._module
        self._prove()
        if self._processes.count > 1:
            self._share()
        self._optimizer = self._make_optimizer() if self._trains else None

    def step(self, size: int, count: int):
        """Runs a step of a chain in which count micro-batches make an optimizer step."""
        with self._heap.watching() if self._heap else contextlib.nullcontext():
            return (yield from self._step(size, count))

    def _step(self, size: int, count: int):
        batch = self._batches.of(size)
        self._place += 1
        with self._sharing.micro_batch(self._reduces, self._place == count):
            with torch.set_grad_enabled(self._trains):
                loss = self._loss(batch) / count
            if not self._trains:
                self._place = 0
                return None
            yield
            self._optimizer.backward(loss)
            del loss, batch
            yield
        self._place = 0
        return self._optimizer.run()

    @property
    def synchronize(self):
        """A function that says whether the next micro-batches reduce gradients; None if each of them communicates, or
        none."""
        return self._synchronize if self._sharing.reduces_once else None

    def _synchronize(self, reduces: bool) -> None:
        self._reduces = reduces

    def prepare(self, size: int) -> None:
        """Makes samples outside the timed steps, as a data loader does."""
        if self._heap:
            self._heap.begin(size)
        self._batches.make(size)

    def tokens_per_sample(self) -> int:
        """Returns the number of tokens in a sample; 0 for images."""
        is_image = self.model["family"] in ("vit", "resnet")
        if self._configured:
            is_image = self._configured.task == configured_networks.IMAGE_CLASSES
        if is_image:
            return 0
        length = self.request.get("sequence_length", 1)
        if self.request.get("preference") not in (None, "", "kto"):
            return 2 * length
        return length + (self.request.get("decoder_sequence_length") or 0)

    def recover(self) -> None:
        self._place = 0
        self._batches.drop()
        if self._optimizer:
            self._optimizer.recover()
        exercise(self.device)

    def _loss(self, batch: dict) -> torch.Tensor:
        if self._preference:
            # These losses apply autocast themselves, if they do.
            return self._preference(batch)
        with self._casts():
            if self.model["family"] == "resnet":
                logits = self._called(self._typed(batch["pixel_values"]))
                return torch.nn.functional.cross_entropy(logits.float(), batch["labels"])
            if "pixel_values" in batch:
                batch["pixel_values"] = self._typed(batch["pixel_values"])
            loss = self._called(**batch).loss
            # A library that casts parameters casts the loss too.
            return loss.float() if self._processes.count > 1 else loss

    def _casts(self):
        kind = None if self._sharing.casts else _AUTOCAST.get(self._precision)
        return torch.autocast(self.device.type, kind) if kind else contextlib.nullcontext()

    def _samples(self):
        """Returns the function that makes samples, if the model's family does not determine it."""
        configured = self._configured
        samples = ConfiguredSamples(configured, self._module, self.request) if configured else None
        if self._preference:
            return self._preference.samples(samples.tokens if samples else self._tokens)
        return samples

    def _tokens(self, texts: int, length: int) -> torch.Tensor:
        # trl uses token 0 as padding here.
        return torch.randint(1, self.model["vocabulary_size"], (texts, length))

    def _prefer(self, preference: str) -> None:
        if preference == value_head.NAME:
            length = self.request.get("sequence_length") or 1
            self._preference = value_head.ValueHeadLoss(self._module, length, self.device, self._casts)
            self.parameters += self._preference.added_parameters
        else:
            reference = self._reference() if preferences.has_reference(self.request) else None
            self._preference = preferences.PreferenceLoss(self.request, self._module, reference, self.device)
        self._module = self._preference.module
        self._module.train(self._trains)

    def _reference(self):
        module = self._built(_TYPES[self._precision])
        _keep_no_cache(module.config)
        return module.requires_grad_(False).eval()

    def _share(self) -> None:
        """Lets the processes share the network. Compiling follows, as in accelerate."""
        torch.manual_seed(self.request.get("seed", 1) + self._processes.rank)
        leaves_out = self._sharing.asks_for_left_out and self._leaves_out()
        self._called = wrapped(self._sharing, self._module, leaves_out)
        if self._preference:
            self._preference.module = self._called
        if self._compilation:
            _compile(self._called, self._compilation)
            self._is_compiled = True
            self._prove()
        self.approximations += self._sharing.approximations

    def _leaves_out(self) -> bool:
        """Returns whether a step does not reach all trained parameters."""
        # One sample is too few for batch normalization and for KTO.
        self._loss(self._batches.of(2)).backward()
        trained = [parameter for parameter in self._module.parameters() if parameter.requires_grad]
        found = any(parameter.grad is None for parameter in trained)
        self._drop_gradients()
        self._batches.drop()
        return found

    def _drop_gradients(self) -> None:
        for parameter in self._module.parameters():
            parameter.grad = None

    def _prove(self) -> None:
        """Checks by running it what is not known in advance: whether the class of a config accepts such samples, and
        whether the compiler works here."""
        is_known = not (self._configured or self._preference)
        if is_known and not self._is_compiled:
            return
        problem = self._problem()
        if not problem:
            return
        if self._is_compiled:
            # A compiled network fails too if the network itself does.
            self._called._compiled_call_impl = None
            own = None if is_known else self._problem()
            if not own:
                text = "torch.compile does not run this network here (%s). "
                raise Refusal(text % problem + "Install a C++ compiler, or leave it out.")
            problem = own
        raise Refusal(self._unproved(problem))

    def _problem(self) -> str | None:
        try:
            # Without backward, FSDP2 would leave its parameters gathered.
            learns = self._trains and self._processes.count > 1
            with torch.set_grad_enabled(learns):
                # One sample is too few for batch normalization and for KTO.
                loss = self._loss(self._batches.of(2))
            if learns and isinstance(loss, torch.Tensor):
                loss.backward()
                self._drop_gradients()
            problem = None if isinstance(loss, torch.Tensor) else "It computes no loss"
        except Exception as error:  # each class fails in its own way
            failure = classify(error, self.device.type != "cpu")
            if failure.sticky:
                raise
            problem = None if failure.outcome == "oom" else configured_networks.one_line(error)
        self.recover()
        return problem

    def _unproved(self, problem: str) -> str:
        if self._preference:
            text = "The loss %s does not work with this network (%s)."
            return text % (self.request["preference"], problem)
        kind = "images" if self._configured.task == configured_networks.IMAGE_CLASSES else "texts"
        text = "transformers' %s does not run on samples of %s alone (%s)."
        return text % (self._configured.name, kind, problem)

    def _typed(self, images: torch.Tensor) -> torch.Tensor:
        images = images.to(self._sharing.input_type or _TYPES[self._precision])
        is_last = self.request.get("channels_last")
        return images.contiguous(memory_format=torch.channels_last) if is_last else images

    def _make_module(self):
        trained = _TYPES[self._precision]
        module = self._built(trained, self._sharing.place_to_build(self._count_bytes(trained)))
        untuned = sum(parameter.numel() for parameter in module.parameters())
        _keep_no_cache(getattr(module, "config", None))
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
        if self._compilation and self._is_compiled:
            _compile(module, self._compilation)
        return module, all_elements(module, untuned)

    def _tuned(self, module, tuning: dict):
        if self.model["family"] == "resnet" and tuning.get("adapter", "none") != "none":
            raise refuse("Adapters are for linear layers, and a ResNet has only one.")
        frozen = tuning.get("frozen_weights", "same")
        if not self._trains and frozen == "same" and tuning.get("adapter", "none") == "none":
            return module
        return tune(module, self.model, tuning, self.device)

    def _count_bytes(self, kind: torch.dtype) -> int:
        return count_parameters(self.request) * kind.itemsize if self._processes.count > 1 else 0

    def _built(self, kind: torch.dtype, place: torch.device | None = None):
        before = torch.get_default_dtype()
        torch.set_default_dtype(self._held_type(kind))
        try:
            with place or self.device:
                if self._takes_flash_attention():
                    # Classes without flash attention raise one of these.
                    with contextlib.suppress(ImportError, Refusal, ValueError):
                        return self._built_with(_FLASH)
                    # The configuration keeps the attention that was requested, so make it again.
                    self._configured = configured_of(self.request)
                return self._built_with("eager" if self.request.get("attention") == "math" else None)
        finally:
            torch.set_default_dtype(before)

    def _built_with(self, attention: str | None):
        if self._configured:
            return self._configured.build(attention)
        return build(self.model, attention, self.request.get("preference") or "")

    def _takes_flash_attention(self) -> bool:
        """Returns whether to use the library flash-attn rather than torch's kernels. It requires 16-bit types."""
        is_asked = self.request.get("attention") == "flash" and self._precision not in ("fp32", "tf32")
        return is_asked and self.device.type == "cuda" and _has_flash_attention()

    def _held_type(self, kind: torch.dtype) -> torch.dtype:
        """Returns the dtype to build the network in. A base that is stored with fewer bits than the trained
        parameters never exists with more."""
        tuning = self.request.get("tuning") or {}
        is_adapted = tuning.get("adapter", "none") != "none"
        narrow = tuning.get("frozen_weights", "same") in ("bf16", "nf4", "int8")
        return torch.bfloat16 if is_adapted and narrow else kind

    def _make_optimizer(self):
        if self._sharing.optimizer_step:
            return self._sharing.optimizer_step
        if self.request.get("updates_in_backward"):
            return StepsInBackward(self.request, self._module, self.approximations, self._sharing.place)
        return OptimizerStep(self.request, self._module, self.device, self.approximations, self._sharing)


def _has_flash_attention() -> bool:
    """Returns whether flash-attn is installed; transformers 5 would download a kernel from a hub instead."""
    from transformers.utils import is_flash_attn_2_available

    return is_flash_attn_2_available()


def configured_of(request: dict) -> configured_networks.ConfiguredNetwork | None:
    """Returns the network of a config.json of transformers; None for other models.

    Raises Refusal."""
    model, preference = request["model"], request.get("preference") or ""
    return configured_networks.described(model, preference) if model["family"] == CONFIGURED else None


def count_parameters(request: dict) -> int:
    """Counts parameters without allocating them; returns 0 if the network must be built to count them.

    Raises Refusal."""
    configured = configured_of(request)
    if configured:
        return configured_networks.count_parameters(configured)
    if request.get("preference") == "reward":
        with torch.device("meta"):
            return sum(part.numel() for part in build(request["model"], None, "reward").parameters())
    try:
        return parameters_of(completed(request["model"])) or 0
    except (KeyError, TypeError):
        return 0


def needed_bytes(request: dict, count: int, processes: int = 1) -> int:
    """Returns a lower bound of the memory that a network with count parameters needs without any sample, to refuse a
    network that cannot fit before anything is allocated."""
    width = _TYPES.get(request.get("precision", "fp32"), torch.float32).itemsize
    reference = count * width if preferences.has_reference(request) else 0
    needed = _needed_to_train(request, count, width)
    if request.get("sharding", "none") != "none":
        # What is sharded, and how widely, is left out of a lower bound.
        needed //= processes
    return reference + needed


def _needed_to_train(request: dict, count: int, width: int) -> int:
    tuning = request.get("tuning") or {}
    if tuning.get("adapter", "none") != "none" or tuning.get("trained_parts") or tuning.get("trained_parameters"):
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
    """Makes the matrix libraries allocate their workspaces, on this thread and on autograd's, and drains what a
    failed backward has left in autograd's queue."""
    layer = torch.nn.Linear(16, 16, device=device)
    layer(torch.ones(1, 16, device=device)).sum().backward()
    del layer
    gc.collect()


def run_small_network(device: torch.device) -> None:
    """Runs a step of a small network, so that what libraries import and compile in a first step does not count as
    memory of the network."""
    small = {"family": "gpt2", "vocabulary_size": 64, "hidden_size": 64, "layers": 1, "heads": 2}
    model = {**small, "feed_forward_size": 256, "max_positions": 16}
    workload = Workload({"model": model, "sequence_length": 16, "max_gradient_norm": 1.0}, device)
    for _ in workload.step(4, 1):
        pass


def _keep_no_cache(config) -> None:
    """Disables the cache in a configuration and in those within it, which parts of the network read."""
    if config is None:
        return
    config.use_cache = False
    for name in getattr(config, "sub_configs", None) or {}:
        _keep_no_cache(getattr(config, name, None))


def _compile(module, mode: str) -> None:
    """Compiles for each size separately, as in a run with one size. From the second size on, torch would compile for
    dynamic sizes."""
    import torch._dynamo

    options = torch._dynamo.config
    for name in ("recompile_limit", "cache_size_limit", "accumulated_cache_size_limit"):
        if hasattr(options, name):
            setattr(options, name, _MOST_COMPILED)
    module.compile(dynamic=False, mode=mode)


def _checkpoint(module, model: dict) -> None:
    if not getattr(module, "supports_gradient_checkpointing", False):
        raise refuse("The class of %s has no activation checkpointing." % model["family"])
    module.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})


def _refuse_other_steps(request: dict, precision: str, processes: int) -> None:
    if precision not in _TYPES:
        raise refuse("The precision %r is unknown here." % precision)
    is_sharded = request.get("shards", 1) > 1 and request.get("sharding", "none") != "none"
    if is_sharded and processes == 1:
        raise refuse("A network that is sharded over several devices is not supported by one process.")
    if request.get("optimizer_on_host"):
        raise refuse("An optimizer whose state lies in the host's memory is not run here.")
    preference = request.get("preference")
    if preference and not preferences.is_known(preference):
        raise refuse("The preference %r is unknown here." % preference)


def _approximations_of(request: dict) -> list[str]:
    phrases = {
        "loss_chunk_rows": "a loss that is computed whole",
        "sample_lengths": "samples of one length",
        "packed_text_length": "packed texts that attend to each other",
    }
    if request.get("preference"):
        # trl decides itself how the loss is split.
        phrases.pop("loss_chunk_rows")
    found = [phrase for field, phrase in phrases.items() if request.get(field)]
    model = request["model"]
    if model["family"] == "esm2" and model.get("activation") != "gelu_python":
        # The class has this activation, whatever its configuration says.
        found.append("an activation of several operations")
    if request.get("preference"):
        return found
    if (request.get("loss_parts") or 1) > 1 and phrases["loss_chunk_rows"] not in found:
        found.append(phrases["loss_chunk_rows"])
    return found


def _choose_ways(request: dict, precision: str) -> None:
    """Sets torch.backends for the whole process: TF32, cuDNN's benchmark, and attention kernels."""
    narrow = precision == "tf32"
    torch.backends.cuda.matmul.allow_tf32 = narrow
    torch.backends.cudnn.allow_tf32 = narrow or bool(request.get("tf32_convolutions", True))
    torch.backends.cudnn.benchmark = bool(request.get("cudnn_benchmark", False))
    wanted = request.get("attention", "auto")
    # If a device or a shape does not allow the kernel, torch uses plain matrix products instead.
    torch.backends.cuda.enable_flash_sdp(wanted in ("auto", "flash", "math"))
    torch.backends.cuda.enable_mem_efficient_sdp(wanted in ("auto", "memory-efficient", "math"))
    if hasattr(torch.backends.cuda, "enable_cudnn_sdp"):
        torch.backends.cuda.enable_cudnn_sdp(wanted in ("auto", "cudnn", "math"))
