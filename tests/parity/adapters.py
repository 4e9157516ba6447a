# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Partially trained networks, as PEFT makes them, and the same tuning in the trial protocol."""

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from peft.tuners.lora import LoraLayer
from peft.utils import ModulesToSaveWrapper
from torch import Tensor

from .fake_quantization import Rounding, fake_quantize
from .networks.network import Network, Piece
from .quantization import quantize, quantize_by_torchao, quantize_to_8_bits, uncounted_elements

# Names in "targets" of the projections in a matrix of ours, and the name if transformers computes them in one matrix:
# core/model/tuning.h.
_PROJECTIONS = {
    "attention.qkv": (("query", "key", "value"), "query_key_value"),
    "attention.output": (("attention_output",), None),
    "cross_attention.query": (("cross_query",), None),
    "cross_attention.key_value": (("cross_key", "cross_value"), "key_value"),
    "cross_attention.output": (("cross_output",), None),
    "feed_forward.up": (("gate", "up"), "gate_up"),
    "feed_forward.down": (("down",), None),
    "shared_expert.up": (("gate", "up"), "gate_up"),
    "shared_expert.down": (("down",), None),
    "shared_expert_gate": (("dense",), None),
    "head.transform": (("dense",), None),
    "pooler": (("dense",), None),
    "output": (("output",), None),
}
_GATED = ("swiglu", "geglu", "geglu_new")
_STACKED = ("experts.up", "experts.down")
_ADAPTER = "default"
# Magnitude of the adapters' matrices relative to the adapted weights. With equal magnitude, attention would be so
# uneven that gradients of T5, which does not scale scores, would differ by 1e-3 between fp32 and fp64.
_ADAPTERS_SHARE = 0.25
# get_keys_to_not_convert of transformers 5 does not quantize the projection onto the vocabulary.
_WIDE = ("output",)


@dataclass(frozen=True)
class Tuning:
    """Which parts of a network are trained.

    Without adapters, these are our parameters whose names begin with one of trained_parts. With adapters, targets is
    PEFT's target_modules, and modules_to_save are names of transformers' modules.
    """

    targets: str | tuple[str, ...] = ()
    rank: int = 4
    alpha: int = 6
    dora: bool = False
    rank_stabilized: bool = False
    dropout: float = 0.0
    quantized: bool = False
    # Quantized by torchao instead of bitsandbytes.
    torchao: bool = False
    # Quantized by bitsandbytes to 8 bits instead of 4.
    in_8_bits: bool = False
    layers: tuple[int, ...] = ()
    modules_to_save: tuple[str, ...] = ()
    trained_parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tuned:
    """A network to which a tuning has been applied."""

    # The tuning in the load message.
    message: dict[str, object]
    # Parameters for our network, by our names; quantized matrices unquantized.
    values: dict[str, Tensor]
    # For each trained parameter of ours, the parameters of theirs that it consists of.
    trained: dict[str, list[Piece]]
    trained_elements: int
    elements: int


def tune(
    network: Network,
    tuning: Tuning,
    compute_type: torch.dtype = torch.float32,
    rounding: Rounding | None = None,
) -> Tuned:
    """Applies a tuning to the network's module. Trained parameters get random values, since zeros would hide errors.

    compute_type is the dtype of products with quantized matrices, and of frozen parameters.
    """
    if rounding and not rounding.adapted_layers:
        fake_quantize(network.module, rounding)
    tuned = _tune(network, tuning, compute_type)
    if rounding and rounding.adapted_layers:
        fake_quantize(network.module, rounding)
    if rounding:
        tuned.message["tuning"] |= rounding.message()
    return tuned


def all_trained(network: Network, rounding: Rounding | None = None) -> Tuned:
    """Returns a network without frozen parameters."""
    if rounding:
        fake_quantize(network.module, rounding)
    parameters = dict(network.module.named_parameters())
    values = {name: torch.cat(pieces) for name, pieces in network.as_ours(parameters).items()}
    elements = sum(parameter.numel() for parameter in parameters.values())
    message = {"tuning": {"adapter": "none"} | rounding.message()} if rounding else {}
    return Tuned(message, values, network.pieces, elements, elements)


def _tune(network: Network, tuning: Tuning, compute_type: torch.dtype) -> Tuned:
    values = {name: torch.cat(pieces) for name, pieces in network.as_ours(_parameters(network)).items()}
    values = {name: value.detach().clone() for name, value in values.items()}
    if not tuning.targets and not tuning.modules_to_save:
        return _freeze(network, tuning, values)
    if tuning.torchao:
        quantize_by_torchao(network.module, _quantized_names(network))
    elif tuning.in_8_bits:
        quantize_to_8_bits(network.module, _quantized_names(network))
    elif tuning.quantized:
        quantize(network.module, _quantized_names(network), compute_type)
    model = _with_adapters(network.module, tuning)
    network.module.train()
    _randomize(network.module)

    trained: dict[str, list[Piece]] = {}
    targets = defaultdict(set)
    for path, layer in network.module.named_modules():
        if isinstance(layer, LoraLayer):
            prefix, layer_number, pieces = _adapter_pieces(network, path, tuning.dora)
            trained |= pieces
            targets[prefix.rpartition(".")[2]].add(layer_number)
    copies, originals = _copies(network)
    trained |= copies
    theirs = _parameters(network)
    values |= {name: value.detach().clone() for name, value in _as_ours(trained, theirs).items()}
    values |= {name: value.detach().clone() for name, value in _as_ours(originals, theirs).items()}
    trained_count, count = model.get_nb_trainable_parameters()
    return Tuned(
        _message(tuning, compute_type, targets, sorted(copies)),
        values,
        trained,
        trained_count,
        count + uncounted_elements(network.module),
    )


def _with_adapters(module: torch.nn.Module, tuning: Tuning) -> PeftModel:
    config = LoraConfig(
        r=tuning.rank,
        lora_alpha=tuning.alpha,
        target_modules=tuning.targets if isinstance(tuning.targets, str) else list(tuning.targets),
        lora_dropout=tuning.dropout,
        use_rslora=tuning.rank_stabilized,
        use_dora=tuning.dora,
        layers_to_transform=list(tuning.layers) or None,
        modules_to_save=list(tuning.modules_to_save) or None,
    )
    return get_peft_model(module, config)


def _freeze(network: Network, tuning: Tuning, values: dict[str, Tensor]) -> Tuned:
    trained = {
        name: pieces for name, pieces in network.pieces.items() if name.startswith(tuning.trained_parts)
    }
    names = {piece.name for pieces in trained.values() for piece in pieces}
    for name, parameter in network.module.named_parameters():
        parameter.requires_grad_(name in names)
    parameters = list(network.module.parameters())
    return Tuned(
        {"tuning": {"adapter": "none", "trained_parts": list(tuning.trained_parts)}},
        values,
        trained,
        sum(parameter.numel() for parameter in parameters if parameter.requires_grad),
        sum(parameter.numel() for parameter in parameters),
    )


def _parameters(network: Network) -> dict[str, Tensor]:
    return dict(network.module.named_parameters(remove_duplicate=False))


def _as_ours(pieces: Mapping[str, list[Piece]], theirs: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: torch.cat([piece.turn(theirs[piece.name]) for piece in of]) for name, of in pieces.items()}


def _quantized_names(network: Network) -> list[str]:
    """Returns their names of the weights to quantize: of all projections except the output, and of experts. T5 keeps
    one in each layer in fp32."""
    wanted = (*(matrix for matrix in _PROJECTIONS if matrix not in _WIDE), *_STACKED)
    kept = tuple(f".{layer}.weight" for layer in getattr(network.module, "_keep_in_fp32_modules", None) or ())
    names = [
        piece.name
        for name, pieces in network.pieces.items()
        if _without_layer(name.removesuffix(".weight"))[0] in wanted
        for piece in pieces
        if not piece.name.endswith(kept)
    ]
    return list(dict.fromkeys(names))


def _without_layer(name: str) -> tuple[str, int | None]:
    match = re.fullmatch(r"(?:encoder\.|decoder\.)?layers\.(\d+)\.(.*)", name)
    return (match[2], int(match[1])) if match else (name, None)


def _adapter_pieces(
    network: Network, path: str, dora: bool
) -> tuple[str, int | None, dict[str, list[Piece]]]:
    """Returns our name of the adapter of a module of theirs, the number of the layer, and its parameters."""
    matrix, pieces = _matrix_of(network, f"{path}.weight")
    kind, layer_number = _without_layer(matrix)
    names, joint = _PROJECTIONS[kind]
    if kind == "feed_forward.up" and network.model["activation"] not in _GATED:
        names = ("up",)
    own = [piece for piece in pieces if piece.name == f"{path}.weight"]
    takes_all = len(own) == len(pieces) and len(names) > 1
    projection = joint if takes_all else names[pieces.index(own[0])]
    prefix = f"{matrix}.{projection}"
    adapter = {
        f"{prefix}.lora_a": [Piece(f"{path}.lora_A.{_ADAPTER}.weight")],
        f"{prefix}.lora_b": [Piece(f"{path}.lora_B.{_ADAPTER}.weight", piece.rows) for piece in own],
    }
    if dora:
        magnitude = f"{path}.lora_magnitude_vector.{_ADAPTER}.weight"
        adapter[f"{prefix}.magnitude"] = [Piece(magnitude, piece.rows) for piece in own]
    return prefix, layer_number, adapter


def _matrix_of(network: Network, weight: str) -> tuple[str, list[Piece]]:
    """Returns our name, without ".weight", of the matrix that a weight of theirs is part of, and all its pieces."""
    for name, pieces in network.pieces.items():
        if any(piece.name == weight for piece in pieces):
            return name.removesuffix(".weight"), pieces
    # Only an output that is tied to the embedding has no matrix in our network.
    return "output", [Piece(weight)]


def _copies(network: Network) -> tuple[dict[str, list[Piece]], dict[str, list[Piece]]]:
    """Returns the trained copies of modules, and their originals, by our names."""
    wrapped = {
        path: layer
        for path, layer in network.module.named_modules()
        if isinstance(layer, ModulesToSaveWrapper)
    }
    trained, originals = {}, {}
    embedding = network.module.get_input_embeddings()
    output = network.module.get_output_embeddings()
    is_shared = "output.weight" not in network.pieces and output is not None
    for path, layer in wrapped.items():
        copy = f"{path}.modules_to_save.{_ADAPTER}"
        if is_shared and layer is output:
            trained["output.weight"] = [Piece(f"{copy}.weight")]
            continue
        for name, pieces in network.pieces.items():
            if not all(piece.name.startswith(f"{path}.") for piece in pieces):
                continue
            trained[name] = [_moved(piece, path, copy) for piece in pieces]
            original = [_moved(piece, path, f"{path}.original_module") for piece in pieces]
            keeps_original = not is_shared or layer is not embedding or isinstance(output, ModulesToSaveWrapper)
            originals[f"original.{name}" if keeps_original else "output.weight"] = original
    return trained, originals


def _moved(piece: Piece, path: str, to: str) -> Piece:
    return replace(piece, name=to + piece.name.removeprefix(path))


def _randomize(module: torch.nn.Module) -> None:
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            if not parameter.requires_grad:
                continue
            if parameter.dim() == 1:
                parameter.mul_(1 + 0.2 * torch.randn_like(parameter))
            else:
                share = _ADAPTERS_SHARE if ".lora_B." in name else 1.0
                parameter.normal_(0.0, share * parameter.shape[-1] ** -0.5)


def _frozen_weights(tuning: Tuning, compute_type: torch.dtype) -> str:
    if tuning.torchao:
        return "torchao-nf4"
    if tuning.in_8_bits:
        return "int8"
    if tuning.quantized:
        return "nf4"
    return "bf16" if compute_type == torch.bfloat16 else "same"


def _message(
    tuning: Tuning,
    compute_type: torch.dtype,
    targets: Mapping[str, set[int | None]],
    trained_parts: list[str],
) -> dict[str, object]:
    def layers(of: set[int | None]) -> list[int]:
        numbers = {number for number in of if number is not None}
        return sorted(numbers) if tuning.layers else []

    return {
        "tuning": {
            "adapter": "dora" if tuning.dora else "lora",
            "rank": tuning.rank,
            "alpha": float(tuning.alpha),
            "rank_stabilized": tuning.rank_stabilized,
            "dropout": tuning.dropout,
            "targets": [
                {"projection": projection, "layers": layers(of)} for projection, of in sorted(targets.items())
            ],
            "trained_parts": trained_parts,
            "frozen_weights": _frozen_weights(tuning, compute_type),
            "double_quantization": True,
            # quantize() quantizes stacked experts as axolotl's quantize_moe_experts does.
            "quantize_experts": True,
        }
    }
