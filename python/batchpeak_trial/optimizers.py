# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the optimizer of a load message, with the hyperparameters of core/network/optimizers/optimizer_step.cpp;
they do not change the speed."""

from __future__ import annotations

import contextlib
import types
import weakref

import torch

from .failures import is_of_memory
from .networks import refuse
from .one_process import OneProcess
from .requirements import require
from .serving import Refusal

_RATE, _DECAY, _MOMENTUM = 3e-4, 0.1, 0.9
_BETAS = (0.9, 0.95)
# Optimizers of bitsandbytes.
_NARROW = ("adamw-8bit", "lion-8bit")


def trained_parameters(module) -> list:
    """Returns the parameters that backward reaches; an optimizer does nothing for others.

    Raises Refusal if there are none."""
    unreached = {id(parameter) for parameter in getattr(module, "unreached_parameters", list)()}
    trained = [part for part in module.parameters() if part.requires_grad and id(part) not in unreached]
    if not trained:
        raise Refusal("No part of the network is trained. Name the parts to train in tuning.")
    return trained


def _made(kind, parameters: list, **options):
    return kind(parameters, **options)


def make_optimizer(request: dict, parameters: list, approximations: list, make=_made):
    """make(kind, parameters, **options) makes an optimizer of the class kind.

    Raises Refusal."""
    name = request.get("optimizer", "adamw")
    makers = {
        "adamw": _adamw,
        "sgd": _sgd,
        "adamw-8bit": _of_bitsandbytes("AdamW8bit", betas=_BETAS),
        "adamw-32bit": _of_bitsandbytes("AdamW32bit", betas=_BETAS),
        "adamw-4bit": _adamw_4bit,
        "lion": _of_bitsandbytes("Lion32bit", betas=(0.9, 0.99)),
        "lion-8bit": _of_bitsandbytes("Lion8bit", betas=(0.9, 0.99)),
        "adafactor": _adafactor,
    }
    if name not in makers:
        raise refuse("The optimizer %r is unknown here." % name)
    return makers[name](request, parameters, approximations, make)


def _adamw(request: dict, parameters: list, approximations: list, make):
    step = request.get("adamw_step", "fused")
    if step == "decoupled":
        approximations.append("another AdamW than Composer's decoupled one")
    options: dict = {"lr": _RATE, "betas": _BETAS, "weight_decay": _DECAY}
    if step != "fused":
        foreach = False if step == "decoupled" else None
        return make(torch.optim.AdamW, parameters, foreach=foreach, **options)
    try:
        return make(torch.optim.AdamW, parameters, fused=True, **options)
    except (RuntimeError, TypeError):
        approximations.append("the step of an optimizer without a fused kernel")
        return make(torch.optim.AdamW, parameters, **options)


def _are_plain(parameters: list) -> bool:
    """Returns whether no parameter is a DTensor, as FSDP2 makes them."""
    return all(type(parameter) is torch.nn.Parameter for parameter in parameters)


def _sgd(request: dict, parameters: list, approximations: list, make):
    momentum = _MOMENTUM if request.get("momentum", True) else 0.0
    options = {"lr": _RATE, "momentum": momentum, "weight_decay": _DECAY}
    if not _are_plain(parameters):
        # The fused kernel takes no DTensor.
        return make(torch.optim.SGD, parameters, **options)
    try:
        return make(torch.optim.SGD, parameters, fused=True, **options)
    except (RuntimeError, TypeError):
        approximations.append("the step of an optimizer without a fused kernel")
        return make(torch.optim.SGD, parameters, **options)


def _of_bitsandbytes(kind: str, **options):
    def of_kind(_request: dict, parameters: list, _approximations: list, make):
        optimizers = require("bitsandbytes", "bitsandbytes.optim")
        return make(getattr(optimizers, kind), parameters, lr=_RATE, weight_decay=_DECAY, **options)

    return of_kind


@contextlib.contextmanager
def _moments_in_fp32(embeddings: list):
    """Makes the moments of embeddings fp32, for the first step of an 8-bit optimizer of bitsandbytes, which creates
    the moments. create_optimizer of transformers' Trainer does so too (trainer.py of transformers 5.23).
    bitsandbytes applies the setting to all optimizers of the process, by the index of a parameter
    (GlobalOptimManager in optim/optimizer.py of 0.50.2), so it is reset afterwards."""
    manager = require("bitsandbytes", "bitsandbytes.optim").GlobalOptimManager.get_instance()
    names = ("pid2config", "index2config", "module_weight_config_triple")
    kept = {name: getattr(manager, name) for name in names}
    manager.pid2config, manager.index2config, manager.module_weight_config_triple = {}, {}, []
    try:
        for embedding in embeddings:
            module = types.SimpleNamespace(weight=embedding)
            manager.register_module_override(module, "weight", {"optim_bits": 32})
        yield
    finally:
        for name, value in kept.items():
            setattr(manager, name, value)


def _adamw_4bit(_request: dict, parameters: list, _approximations: list, make):
    optimizers = require("torchao", "torchao.optim")
    return make(optimizers.AdamW4bit, parameters, lr=_RATE, betas=_BETAS, weight_decay=_DECAY)


def _adafactor(_request: dict, parameters: list, _approximations: list, make):
    optimization = require("transformers", "transformers.optimization")
    return make(optimization.Adafactor, parameters, lr=_RATE, scale_parameter=False, relative_step=False)


class MasterWeights:
    """fp32 copies of 16-bit parameters, which the optimizer updates."""

    def __init__(self, parameters: list):
        self._parameters = parameters
        self.masters = [torch.nn.Parameter(parameter.detach().float()) for parameter in parameters]
        # _foreach_copy_ takes no DTensor.
        self._is_plain = _are_plain(parameters)

    def widen_gradients(self) -> None:
        for master, parameter in zip(self.masters, self._parameters):
            master.grad = None if parameter.grad is None else parameter.grad.float()

    @torch.no_grad()
    def narrow(self) -> None:
        if self._is_plain:
            torch._foreach_copy_(self._parameters, self.masters)
        for parameter, master in zip(self._parameters, self.masters):
            if not self._is_plain:
                parameter.copy_(master)
            master.grad = None


def _take_first_step(optimizer, place: str = "on this device") -> None:
    """Raises Refusal."""
    try:
        optimizer.step()
    except Exception as error:
        if is_of_memory(error):
            raise
        text = "The optimizer %s does not run %s: %s: %s"
        raise Refusal(text % (type(optimizer).__name__, place, type(error).__name__, error)) from error


class StepsInBackward:
    """Updates each parameter within backward as soon as its gradient exists, and drops the gradient, as torchtune's
    optimizer_in_bwd does. Nothing is left to do after backward."""

    def __init__(self, request: dict, module, approximations: list, place: str = "on this device"):
        parameters, precision = trained_parameters(module), request.get("precision", "fp32")
        if precision in ("fp16", "pure-fp16", "pure-bf16") or (request.get("max_gradient_norm") or 0.0) > 0:
            text = "Weights cannot be updated within backward if gradients are %s."
            how = "clipped" if request.get("max_gradient_norm") else "scaled or widened"
            raise refuse(text % how)
        self._optimizers, found = {}, []
        # A hook that refers to this object would form a cycle with the parameters, which the garbage collector does
        # not see.
        step = weakref.WeakMethod(self._step)
        for parameter in parameters:
            optimizer = make_optimizer(request, [parameter], found)
            parameter.grad = torch.zeros_like(parameter)
            _take_first_step(optimizer, place)
            parameter.grad = None
            self._optimizers[parameter] = optimizer
            parameter.register_post_accumulate_grad_hook(lambda parameter: step()(parameter))
        approximations += dict.fromkeys(found)

    def backward(self, loss: torch.Tensor) -> None:
        loss.backward()

    def run(self) -> bool:
        return True

    def recover(self) -> None:
        """Drops gradients after a failed step, which has updated some parameters and left gradients of others."""
        for parameter in self._optimizers:
            parameter.grad = None

    def _step(self, parameter: torch.Tensor) -> None:
        self._optimizers[parameter].step()
        parameter.grad = None


class OptimizerStep:
    """The part of a step after backward: unscales and clips gradients, steps, and sets the gradients to zero."""

    def __init__(
        self,
        request: dict,
        module,
        device: torch.device,
        approximations: list,
        sharing: OneProcess | None = None,
    ):
        self._sharing = sharing or OneProcess()
        precision = request.get("precision", "fp32")
        parameters = trained_parameters(module)
        self._parameters = parameters
        self._masters = None
        if precision in ("pure-bf16", "pure-fp16"):
            self._masters = MasterWeights(parameters)
            approximations.append("fp32 copies of all gradients in the optimizer step")
        self._stepped = self._masters.masters if self._masters else parameters
        self._optimizer = make_optimizer(request, self._stepped, approximations, self._sharing.made)
        self._norm = request.get("max_gradient_norm") or 0.0
        self._device, self._scaler = device, None
        if precision in ("fp16", "pure-fp16"):
            self._scaler = self._new_scaler(65536.0)
        is_widened = request.get("fp32_embedding_moments") and request.get("optimizer") in _NARROW
        with self._widened(module) if is_widened else contextlib.nullcontext():
            self._prepare()

    def backward(self, loss: torch.Tensor) -> None:
        (self._scaler.scale(loss) if self._scaler else loss).backward()

    def run(self) -> bool:
        """Returns False if the step was skipped because scaled gradients were infinite."""
        if self._masters:
            self._masters.widen_gradients()
        if self._norm > 0:
            if self._scaler:
                self._scaler.unscale_(self._optimizer)
            self._sharing.clip(self._stepped, self._norm)
        is_done = self._step()
        if self._masters:
            self._masters.narrow()
        self._clear()
        return is_done

    def recover(self) -> None:
        """Drops what a failed step has left of gradients and of the scaler's state."""
        if self._scaler:
            self._scaler = self._new_scaler(self._scaler.get_scale())
        for parameter in self._stepped if self._masters else ():
            parameter.grad = None
        self._clear()

    def _step(self) -> bool:
        if not self._scaler:
            self._optimizer.step()
            return True
        scale = self._scaler.get_scale()
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return self._scaler.get_scale() >= scale

    def _new_scaler(self, scale: float):
        return self._sharing.scaler(self._device, scale)

    def _widened(self, module):
        embeddings = {id(part.weight) for part in module.modules() if isinstance(part, torch.nn.Embedding)}
        pairs = zip(self._parameters, self._stepped)
        return _moments_in_fp32([stepped for parameter, stepped in pairs if id(parameter) in embeddings])

    def _prepare(self) -> None:
        """Allocates gradients and the optimizer's state before the first forward pass. They exist for all
        micro-batches of a batch except the first, before which trainers drop the gradients."""
        for parameter in self._parameters:
            parameter.grad = torch.zeros_like(parameter)
        if self._masters:
            self._masters.widen_gradients()
        _take_first_step(self._optimizer, self._sharing.place)
        if self._masters:
            self._masters.narrow()
        self._clear()

    def _clear(self) -> None:
        gradients = []
        for parameter in self._parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            else:
                gradients.append(parameter.grad)
        if gradients:
            torch._foreach_zero_(gradients)
