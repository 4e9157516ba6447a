# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantizes matrices to 4 and 8 bits with bitsandbytes on the CPU, and to 4 bits with torchao as torchtune does."""

import warnings
from math import prod

import bitsandbytes
import torch
from bitsandbytes.functional import QuantState, get_4bit_type
from bitsandbytes.nn.parametrize import Bnb4bitParametrization, replace_parameter_4bit
from peft.tuners.lora import dora
from peft.utils.integrations import dequantize_module_weight
from torch import Tensor
from torchao.dtypes.nf4tensor import NF4Tensor, linear_nf4, to_nf4
from transformers.pytorch_utils import Conv1D


_library = torch.library.Library("bitsandbytes", "IMPL")


def compute_as_on_gpus() -> None:
    """Replaces CPU code of bitsandbytes 0.50 that differs from its GPU kernels and its reference
    (backends/default/ops.py): it looks up the nearest number for a scale in a table of 65536, which is off by one for
    one in 700; and with AVX-512 it dequantizes as if each row began a block, which is wrong if the length of a row is
    not a multiple of 64."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Warning only once for all operators")
        _library.impl("quantize_blockwise", _quantize_blockwise, "CPU", allow_override=True)
        _library.impl("dequantize_4bit", _dequantize_4bit, "CPU", allow_override=True)


def _quantize_blockwise(values: Tensor, code: Tensor, block_size: int) -> tuple[Tensor, Tensor]:
    flat = values.reshape(-1).float()
    blocks = _in_blocks(flat, block_size)
    scales = blocks.abs().amax(1)
    scaled = (blocks * (1 / scales.clamp(min=1e-38)).unsqueeze(1)).flatten()[: len(flat)]
    nearest = torch.bucketize(scaled, (code[:-1] + code[1:]) / 2)
    return nearest.to(torch.uint8).view(values.shape), scales


def _dequantize_4bit(
    packed: Tensor, scales: Tensor, block_size: int, kind: str, shape: list[int], dtype: torch.dtype
) -> Tensor:
    codes = torch.stack((packed.flatten() >> 4, packed.flatten() & 15), 1).flatten()
    values = get_4bit_type(kind, device="cpu")[codes.int()][: prod(shape)]
    wide = _in_blocks(values, block_size) * scales.unsqueeze(1)
    return wide.flatten()[: prod(shape)].view(*shape).to(dtype)


def _in_blocks(flat: Tensor, size: int) -> Tensor:
    return torch.nn.functional.pad(flat, (0, -len(flat) % size)).view(-1, size)


def quantize(module: torch.nn.Module, names: list[str], compute_type: torch.dtype = torch.float32) -> None:
    """Replaces linear layers by those of bitsandbytes, as load_in_4bit of transformers does, and quantizes stacked
    matrices in place, as axolotl's quantize_moe_experts does. NF4 with double quantization.

    names are names of weights.
    """
    for name in names:
        path, _, kind = name.rpartition(".")
        layer = module.get_submodule(path)
        if isinstance(layer, torch.nn.Linear | Conv1D):
            module.set_submodule(path, _linear(layer, compute_type))
        else:
            replace_parameter_4bit(layer, kind, compress_statistics=True, quant_type="nf4")
    # PEFT checks this (dispatch_bnb_4bit).
    module.is_loaded_in_4bit = True


def _linear(layer: torch.nn.Linear | Conv1D, compute_type: torch.dtype) -> bitsandbytes.nn.Linear4bit:
    weight = layer.weight.detach()
    if isinstance(layer, Conv1D):
        weight = weight.t().contiguous()
    quantized = bitsandbytes.nn.Linear4bit(
        weight.shape[1],
        weight.shape[0],
        bias=layer.bias is not None,
        compute_dtype=compute_type,
        compress_statistics=True,
        quant_type="nf4",
    )
    quantized.weight = bitsandbytes.nn.Params4bit(
        weight, requires_grad=False, compress_statistics=True, quant_type="nf4", module=quantized
    )
    if layer.bias is not None:
        quantized.bias = layer.bias
    # bitsandbytes quantizes a weight when it is moved to a device, even if it is already there.
    return quantized.requires_grad_(False).to(weight.device)


def quantize_to_8_bits(module: torch.nn.Module, names: list[str]) -> None:
    """Replaces linear layers by those of bitsandbytes, as load_in_8bit of transformers does. names are names of
    weights."""
    for name in names:
        path = name.rpartition(".")[0]
        layer = module.get_submodule(path)
        module.set_submodule(path, linear_in_8_bits(layer, layer.weight.device))
    # PEFT checks this (dispatch_bnb_8bit).
    module.is_loaded_in_8bit = True


def linear_in_8_bits(
    layer: torch.nn.Linear | Conv1D, device: torch.device
) -> bitsandbytes.nn.Linear8bitLt:
    weight = layer.weight.detach()
    if isinstance(layer, Conv1D):
        weight = weight.t().contiguous()
    quantized = bitsandbytes.nn.Linear8bitLt(
        weight.shape[1],
        weight.shape[0],
        bias=layer.bias is not None,
        has_fp16_weights=False,
        # The default of llm_int8_threshold in BitsAndBytesConfig of transformers 5.
        threshold=6.0,
    )
    quantized.weight = bitsandbytes.nn.Int8Params(weight, requires_grad=False, has_fp16_weights=False)
    if layer.bias is not None:
        quantized.bias = layer.bias
    return quantized.requires_grad_(False).to(device)


class FrozenNf4Linear(torch.nn.Linear):
    """FrozenNF4Linear of torchtune (modules/low_precision/nf4_linear.py of 0.6), which stores a matrix with torchao.
    LoRALinear and DoRALinear (modules/peft) multiply in the same way."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__(linear.in_features, linear.out_features, linear.bias is not None, device="meta")
        self.weight = torch.nn.Parameter(to_nf4(linear.weight.detach()), requires_grad=False)
        if linear.bias is not None:
            self.bias = linear.bias.requires_grad_(False)

    def forward(self, input: Tensor) -> Tensor:
        result = linear_nf4(input, self.weight)
        return result if self.bias is None else result + self.bias


def quantize_by_torchao(module: torch.nn.Module, names: list[str]) -> None:
    """Replaces linear layers by torchtune's. names are names of weights.

    PEFT's DoRA computes the same as torchtune's, but does not support matrices of torchao: this adds how to dequantize
    one.
    """
    dora.dequantize_module_weight = _dequantized
    for name in names:
        path = name.rpartition(".")[0]
        module.set_submodule(path, FrozenNf4Linear(module.get_submodule(path)))


def _dequantized(layer: torch.nn.Module) -> Tensor:
    weight = layer.weight
    return weight.to(weight.dtype) if isinstance(weight, NF4Tensor) else dequantize_module_weight(layer)


def quantized_tensors(module: torch.nn.Module) -> list[Tensor]:
    """Returns all tensors that quantized matrices consist of, each once, without the code tables, of which each matrix
    of bitsandbytes has its own."""
    tensors = []
    for layer in module.modules():
        if isinstance(layer, bitsandbytes.nn.Linear8bitLt):
            scales = layer.weight.SCB if layer.state.SCB is None else layer.state.SCB
            tensors += [layer.weight.data, scales]
        if isinstance(layer, FrozenNf4Linear):
            tensors += [getattr(layer.weight, name) for name in layer.weight.__tensor_flatten__()[0]]
        if isinstance(layer, bitsandbytes.nn.Linear4bit):
            tensors += [layer.weight, *_state(layer.weight.quant_state)]
        for name, chain in getattr(layer, "parametrizations", {}).items():
            if isinstance(chain[0], Bnb4bitParametrization):
                tensors += [chain.original, *_state(chain[0].quant_state)]
    return tensors


def code_tables(module: torch.nn.Module) -> list[Tensor]:
    """Returns the code tables of each quantized matrix."""
    states = [layer.quant_state for layer in module.modules() if isinstance(layer, bitsandbytes.nn.Linear4bit)]
    states += [layer.quant_state for layer in module.modules() if isinstance(layer, Bnb4bitParametrization)]
    return [table for state in states for table in (state.code, state.state2.code)]


def _state(state: QuantState) -> list[Tensor]:
    return [state.absmax, state.offset, state.state2.absmax]


def uncounted_elements(module: torch.nn.Module) -> int:
    """Returns the elements of stacked matrices that get_nb_trainable_parameters of PEFT does not count: it doubles only
    the bytes of bitsandbytes' layers."""
    return sum(
        chain.original.numel()
        for layer in module.modules()
        for chain in getattr(layer, "parametrizations", {}).values()
        if isinstance(chain[0], Bnb4bitParametrization)
    )
