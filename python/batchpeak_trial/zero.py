# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""ZeRO by DeepSpeed, configured as accelerate 1.15 does (DeepSpeedPlugin in utils/dataclasses.py)."""

from __future__ import annotations

import os

import torch

from .one_process import OneProcess
from .optimizers import make_optimizer, trained_parameters
from .processes import Processes
from .requirements import require
from .serving import Refusal

_STAGES = {"optimizer": 1, "gradients": 2, "parameters": 3}
_KINDS = {"bf16": "bf16", "pure-bf16": "bf16", "fp16": "fp16", "pure-fp16": "fp16"}
# The loss scale begins at 2 to this power, as that of torch.amp.GradScaler does.
_SCALE_POWER = 16
_NEVER = 1 << 62


class DeepSpeed(OneProcess):
    name = "DeepSpeed"
    casts = True

    def __init__(self, request: dict, processes: Processes, device: torch.device):
        super().__init__()
        self._request = request
        precision = request.get("precision", "fp32")
        for field, what in (
            ("compilation", "A compiled network"),
            ("updates_in_backward", "An update of weights within backward"),
            ("preference", "Training on preferences"),
        ):
            if request.get(field):
                raise Refusal("%s is not run with DeepSpeed here; ask for fsdp2." % what)
        if precision.startswith("plain"):
            text = "DeepSpeed keeps fp32 master weights of 16-bit parameters; ask for fsdp2, or for %s."
            raise Refusal(text % precision.replace("plain-", ""))
        # The library builds its kernels when they are first used; none is used here.
        os.environ.setdefault("DS_SKIP_CUDA_CHECK", "1")
        self._library = require("deepspeed")
        self._stage = _STAGES[request["sharding"]]
        # Stage 1 keeps all gradients until the optimizer steps.
        self.reduces_once = self._stage == 1
        self._kind = _KINDS.get(precision)
        self.input_type = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self._kind or "")
        shards = request.get("shards") or 0
        if 1 < shards != processes.count:
            how = "fewer" if shards > processes.count else "more"
            self.approximations.append("sharding over %s devices" % how)

    def wrap(self, module, leaves_out: bool = False):
        is_trained = self._request.get("phase", "train") == "train"
        optimizer = None
        if is_trained:
            optimizer = make_optimizer(self._request, trained_parameters(module), self.approximations)
        engine, *_ = self._library.initialize(
            model=module, optimizer=optimizer, config=self._config(), dist_init_required=False
        )
        self._engine = engine
        if is_trained:
            self.optimizer_step = _EngineStep(engine)
        return engine

    def micro_batch(self, reduces: bool, is_last: bool):
        # At a boundary, stage 1 reduces gradients, and stage 2 begins to collect them anew.
        self._engine.set_gradient_accumulation_boundary(reduces if self.reduces_once else is_last)
        return super().micro_batch(reduces, is_last)

    def _config(self) -> dict:
        config: dict = {
            "train_micro_batch_size_per_gpu": 1,
            # The engine divides the loss by this; the step divides it itself.
            "gradient_accumulation_steps": 1,
            "gradient_clipping": self._request.get("max_gradient_norm") or 0.0,
            "zero_optimization": {"stage": self._stage},
            "zero_allow_untested_optimizer": True,
            "zero_force_ds_cpu_optimizer": False,
            "steps_per_print": _NEVER,
        }
        if self._kind:
            config[self._kind] = {"enabled": True}
        if self._kind == "fp16":
            config["fp16"]["initial_scale_power"] = _SCALE_POWER
        return config


class _EngineStep:
    """The part of a step from backward on, as the engine runs it."""

    def __init__(self, engine):
        self._engine = engine

    def backward(self, loss: torch.Tensor) -> None:
        self._engine.backward(loss)

    def run(self) -> bool:
        """Returns False if the step was skipped because scaled gradients were infinite."""
        skipped = self._engine.skipped_steps
        self._engine.step()
        return self._engine.skipped_steps == skipped

    def recover(self) -> None:
        self._engine.zero_grad()
