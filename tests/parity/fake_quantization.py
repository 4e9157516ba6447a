# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantization-aware training as torchao does it, and the same in the trial protocol."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import peft.tuners.lora.torchao
import torch
from peft.tuners.lora import LoraLayer

# torchao warns that its kernels are for another torch; fake quantization uses none of them.
logging.getLogger("torchao").setLevel(logging.ERROR)

from torchao.prototype.qat import NVFP4FakeQuantizeConfig  # noqa: E402
from torchao.quantization.qat import FakeQuantizeConfigBase, IntxFakeQuantizeConfig  # noqa: E402
from torchao.quantization.qat.embedding import FakeQuantizedEmbedding  # noqa: E402
from torchao.quantization.qat.fake_quantizer import FakeQuantizerBase  # noqa: E402
from torchao.quantization.qat.linear import FakeQuantizedLinear  # noqa: E402
from torchao.quantization.quant_primitives import ZeroPointDomain  # noqa: E402


# PEFT 0.21 requires a newer torchao for adapters of torchao's tensors, which no network here has.
peft.tuners.lora.torchao.is_torchao_available = lambda: False


@dataclass(frozen=True)
class Rounding:
    """Fake quantization, in the words of FakeQuantization in core/model/tuning.h."""

    weights: str = "none"
    group_size: int = 0
    activations: str = "none"
    embeddings: bool = False
    # Only layers with adapters are quantized, as in QATLoRALinear of torchtune.
    adapted_layers: bool = False

    def message(self) -> dict[str, object]:
        """Returns the fields of "tuning"."""
        return {
            "fake_quantized_weights": self.weights,
            "fake_quantization_group": self.group_size,
            "fake_quantized_activations": self.activations,
            "fake_quantizes_embeddings": self.embeddings,
            # torchao replaces every linear layer, even if its weight is tied.
            "fake_quantizes_shared_output": not self.adapted_layers,
            "fake_quantizes_adapted_layers": self.adapted_layers,
        }


def weight_quantizer(rounding: Rounding) -> FakeQuantizerBase | None:
    return _quantizer(_weight_config(rounding))


def activation_quantizer(rounding: Rounding) -> FakeQuantizerBase | None:
    return _quantizer(_activation_config(rounding))


def fake_quantize(module: torch.nn.Module, rounding: Rounding) -> None:
    """Replaces all linear layers by torchao's, and embeddings if the rounding says so; or only the layers that have
    adapters."""
    linear = _layer_maker(rounding)
    if rounding.adapted_layers:
        for layer in module.modules():
            if isinstance(layer, LoraLayer):
                layer.base_layer = linear(layer.base_layer)
        return
    for path, layer in list(module.named_modules()):
        if type(layer) is torch.nn.Linear:
            module.set_submodule(path, linear(layer))
        elif rounding.embeddings and isinstance(layer, torch.nn.Embedding):
            module.set_submodule(path, FakeQuantizedEmbedding.from_embedding(layer, _weight_config(rounding)))


def _layer_maker(rounding: Rounding) -> Callable[[torch.nn.Linear], FakeQuantizedLinear]:
    configs = _activation_config(rounding), _weight_config(rounding)
    return lambda layer: FakeQuantizedLinear.from_linear(layer, *configs)


def _quantizer(config: FakeQuantizeConfigBase | None) -> FakeQuantizerBase | None:
    return None if config is None else FakeQuantizerBase.from_config(config)


def _weight_config(rounding: Rounding) -> FakeQuantizeConfigBase | None:
    grain = {"group_size": rounding.group_size} if rounding.group_size else {"granularity": "per_channel"}
    match rounding.weights:
        case "int4":
            return IntxFakeQuantizeConfig(torch.int4, **grain)
        case "int8":
            return IntxFakeQuantizeConfig(torch.int8, **grain)
        case "uint4":
            # As in _get_4w_weight_config of torchao/quantization/qat/linear.py.
            return IntxFakeQuantizeConfig(
                torch.uint4,
                **grain,
                is_symmetric=False,
                scale_precision=torch.bfloat16,
                zero_point_precision=torch.bfloat16,
                zero_point_domain=ZeroPointDomain.FLOAT,
            )
        case "nvfp4":
            return NVFP4FakeQuantizeConfig(use_per_tensor_scale=False)
    return None


def _activation_config(rounding: Rounding) -> FakeQuantizeConfigBase | None:
    match rounding.activations:
        case "int8":
            return IntxFakeQuantizeConfig(torch.int8, "per_token", is_symmetric=False)
        case "nvfp4":
            return NVFP4FakeQuantizeConfig(use_per_tensor_scale=False)
    return None
