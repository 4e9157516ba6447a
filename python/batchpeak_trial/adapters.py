# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applies the tuning of a load message with PEFT and bitsandbytes: which parts of a network are trained, and
in which type the frozen parts are stored."""

from __future__ import annotations

import re

import torch

from .configured_targets import no_such_modules, target_modules
from .descriptions import CONFIGURED
from .networks import refuse
from .requirements import line_for, require
from .serving import Refusal

_LLAMA = {
    "query": r"\.q_proj$",
    "key": r"\.k_proj$",
    "value": r"\.v_proj$",
    "query_key_value": r"\.qkv_proj$",
    "attention_output": r"\.self_attn\.(o_proj|dense|out_proj)$",
    "gate": r"\.gate_proj$",
    "up": r"\.(up_proj|mlp\.fc1|mlp\.c_fc|layers\.\d+\.fc1)$",
    "gate_up": r"\.gate_up_proj$",
    "down": r"\.(down_proj|mlp\.fc2|mlp\.c_proj|layers\.\d+\.fc2)$",
    "dense": r"\.shared_expert_gate$",
    "output": r"^lm_head$",
}
_GPT2 = {
    "query_key_value": r"\.attn\.c_attn$",
    "attention_output": r"\.attn\.c_proj$",
    "up": r"\.mlp\.c_fc$",
    "down": r"\.mlp\.c_proj$",
    "output": r"^lm_head$",
}
_FUSED = {
    "query_key_value": r"\.(query_key_value|Wqkv)$",
    "attention_output": r"(attention\.dense|\.attn\.out_proj)$",
    "up": r"(\.dense_h_to_4h|\.ffn\.up_proj)$",
    "down": r"(\.dense_4h_to_h|\.ffn\.down_proj)$",
    "output": r"^(lm_head|embed_out)$",
}
_GPT_J = {
    "query": r"\.q_proj$",
    "key": r"\.k_proj$",
    "value": r"\.v_proj$",
    "attention_output": r"\.out_proj$",
    "up": r"\.mlp\.(fc_in|c_fc)$",
    "down": r"\.mlp\.(fc_out|c_proj)$",
    "output": r"^lm_head$",
}
_BERT = {
    "query": r"\.self\.query$",
    "key": r"\.self\.key$",
    "value": r"\.self\.value$",
    "attention_output": r"\.attention\.output\.dense$",
    "up": r"\.intermediate\.dense$",
    "down": r"layer\.\d+\.output\.dense$",
    "dense": r"(pooler\.dense|transform\.dense|^lm_head\.dense)$",
    "output": r"(predictions\.decoder|^lm_head\.decoder)$",
}
_T5 = {
    "query": r"SelfAttention\.q$",
    "key": r"SelfAttention\.k$",
    "value": r"SelfAttention\.v$",
    "attention_output": r"SelfAttention\.o$",
    "cross_query": r"EncDecAttention\.q$",
    "cross_key": r"EncDecAttention\.k$",
    "cross_value": r"EncDecAttention\.v$",
    "cross_output": r"EncDecAttention\.o$",
    "gate": r"\.wi_0$",
    "up": r"\.(wi|wi_1)$",
    "down": r"\.wo$",
    "output": r"^lm_head$",
}
_VIT = {
    "query": r"\.(q_proj|query)$",
    "key": r"\.(k_proj|key)$",
    "value": r"\.(v_proj|value)$",
    "attention_output": r"(\.o_proj|attention\.output\.dense)$",
    "up": r"(\.mlp\.fc1|\.intermediate\.dense)$",
    "down": r"(\.mlp\.fc2|(layer|layers)\.\d+\.output\.dense)$",
    "output": r"^classifier$",
}
_MODULES = {
    **dict.fromkeys(("gpt2", "gpt3", "gpt_bigcode"), _GPT2),
    **dict.fromkeys(("gpt_neox", "falcon", "bloom", "mpt"), _FUSED),
    **dict.fromkeys(("gptj", "gpt_neo"), _GPT_J),
    **dict.fromkeys(("bert", "esm2"), _BERT),
    "t5": _T5,
    "vit": _VIT,
}
# Batchpeak's names of parameters outside of layers (core/model/*_spec.cpp), and patterns of transformers' names.
_OWN_PARTS = (
    ("embed_norm.", r"(embeddings\.LayerNorm|word_embeddings_layernorm)\."),
    ("embed_types.", r"token_type_embeddings\."),
    ("embed_positions.", r"(wpe|embed_positions|position_embeddings)(\.|$)"),
    ("embed_tokens.", r"(wte|embed_tokens|embed_in|word_embeddings|^shared)\."),
    ("class_token", r"cls_token$"),
    ("patches.", r"patch_embeddings\."),
    ("pooler.", r"pooler\."),
    ("head.transform.", r"(transform\.dense|^lm_head\.dense)\."),
    ("head.norm.", r"(transform\.LayerNorm|^lm_head\.layer_norm)\."),
    ("next_sentence.", r"seq_relationship\."),
    ("output.", r"(^lm_head|^embed_out|^classifier|^fc\.|predictions\.)"),
    ("final_norm.", r"(norm|ln_f|layernorm|layer_norm|emb_layer_norm_after)\."),
)
_LAYER = re.compile(r"^(.*?)\.(?:h|layers|layer|block|blocks)\.(\d+)\.(.*)$")
_STACKED = "transformers does not quantize stacked experts."
_KINDS = {"fp32": torch.float32, "bf16": torch.bfloat16, "nf4": torch.bfloat16, "int8": torch.bfloat16}


def tune(module, model: dict, tuning: dict, device: torch.device):
    """Returns the module to train; only its trained parameters require gradients.

    Raises Refusal."""
    _check(tuning, model)
    frozen = tuning.get("frozen_weights", "same")
    parts = list(tuning.get("trained_parts") or [])
    if tuning.get("adapter", "none") == "none":
        _freeze_all_but(module, model, parts)
        _freeze_unless_named(module, tuning.get("trained_parameters") or [])
        _hold_frozen(module, frozen)
        return module
    _convert(module, frozen)
    if frozen in ("nf4", "int8") and tuning.get("quantize_experts") and _has_stacked_experts(module):
        raise refuse(_STACKED)
    _quantize(module, model, tuning, device)
    return _with_adapters(module, model, tuning, parts)


def _check(tuning: dict, model: dict) -> None:
    for field in ("fake_quantized_weights", "fake_quantized_activations"):
        if tuning.get(field, "none") != "none":
            raise refuse("Quantization-aware training is not run by transformers.")
    frozen = tuning.get("frozen_weights", "same")
    if frozen == "torchao-nf4":
        raise refuse("torchao's 4-bit base is torchtune's, and is not run by transformers.")
    if frozen not in ("same", *_KINDS):
        raise refuse("Frozen weights of the kind %r are unknown here." % frozen)
    is_quantized = frozen in ("nf4", "int8")
    if is_quantized and tuning.get("adapter", "none") == "none":
        raise refuse("A quantized base can be trained only with adapters.")
    if is_quantized and model.get("experts", 0) > 1 and tuning.get("quantize_experts"):
        raise refuse(_STACKED)


def _has_stacked_experts(module) -> bool:
    return any(".experts." in name and part.dim() == 3 for name, part in module.named_parameters())


def _own_name(name: str, model: dict) -> str:
    """Returns Batchpeak's name of one of transformers' parameters. For a parameter of a layer, only the prefix of
    the layer and the name of a router are Batchpeak's."""
    match = _LAYER.match(name)
    if match:
        stack = match[1].split(".")[0] + "." if model["family"] == "t5" else ""
        is_router = re.search(r"(router|mlp\.gate|block_sparse_moe\.gate)\.", match[3] + ".")
        return "%slayers.%s.%s" % (stack, match[2], "router.weight" if is_router else match[3])
    if model["family"] == "bert" and name.startswith("classifier."):
        return "next_sentence." + name.split(".", 1)[1]
    for own, pattern in _OWN_PARTS:
        if re.search(pattern, name):
            return own + name.rpartition(".")[2] if own.endswith(".") else own
    return name


def _freeze_all_but(module, model: dict, parts: list) -> None:
    if not parts:
        return
    used = set()
    for name, parameter in module.named_parameters():
        own = _own_name(name, model)
        begins = [part for part in parts if own.startswith(part)]
        used.update(begins)
        parameter.requires_grad_(bool(begins))
    _require_used(parts, used)


def _freeze_unless_named(module, patterns: list) -> None:
    """Freezes parameters whose names begin like none of the patterns, as freeze_layers_except in utils/freeze.py of
    axolotl does."""
    if not patterns:
        return
    for name, parameter in module.named_parameters():
        parameter.requires_grad_(any(re.match(pattern, name) for pattern in patterns))
    if not any(parameter.requires_grad for parameter in module.parameters()):
        raise Refusal("The network has no parameter that is named like %s." % ", ".join(patterns))


def _require_used(parts: list, used: set) -> None:
    for part in parts:
        if part not in used:
            raise refuse("No part of transformers' network is known as %r among trained_parts." % part)


def _hold_frozen(module, frozen: str) -> None:
    if frozen == "same":
        return
    for parameter in module.parameters():
        if not parameter.requires_grad:
            parameter.data = parameter.data.to(_KINDS[frozen])


def _convert(module, frozen: str) -> None:
    if frozen != "same":
        module.to(_KINDS[frozen])


def _targets(module, model: dict, tuning: dict) -> list[str] | str:
    if model["family"] == CONFIGURED:
        return target_modules(module, tuning)
    known = _MODULES.get(model["family"], _LLAMA)
    found: list[str] = []
    for target in tuning.get("targets") or []:
        projection, layers = target.get("projection"), target.get("layers") or []
        pattern = known.get(projection)
        names = [
            name
            for name, part in module.named_modules()
            if pattern and re.search(pattern, name) and hasattr(part, "weight") and _is_in(name, layers)
        ]
        if not names:
            text = "transformers' %s has no matrix of the projection %r by itself."
            raise refuse(text % (model["family"], projection))
        found += names
    return list(dict.fromkeys(found))


def _is_in(name: str, layers: list) -> bool:
    match = _LAYER.match(name + ".")
    return not layers or not match or int(match[2]) in layers


def _copied_modules(module, model: dict, parts: list) -> list[str]:
    """Returns names of modules for modules_to_save: the modules that directly contain the parameters of the
    parts."""
    modules, used = [], set()
    for name, part in module.named_modules():
        own_parameters = dict(part.named_parameters(recurse=False))
        own = [_own_name("%s.%s" % (name, key), model) for key in own_parameters]
        if not own and name and part is module.get_output_embeddings():
            own = ["output.weight"]
        begins = [p for p in parts if any(value.startswith(p) for value in own)]
        if part is module.get_output_embeddings() and "output." in parts:
            begins.append("output.")
        if begins:
            modules.append(name)
            used.update(begins)
    _require_used(parts, used)
    return modules


def _with_adapters(module, model: dict, tuning: dict, parts: list):
    peft = require("peft")
    copied = list(tuning.get("modules_to_save") or [])
    copied += _copied_modules(module, model, parts) if parts else []
    targets = _targets(module, model, tuning)
    config = peft.LoraConfig(
        r=tuning.get("rank", 8),
        lora_alpha=tuning.get("alpha", 8.0),
        use_rslora=bool(tuning.get("rank_stabilized", False)),
        use_dora=tuning.get("adapter") == "dora",
        lora_dropout=tuning.get("dropout", 0.0),
        target_modules=targets,
        modules_to_save=copied or None,
        **_target_parameters(tuning),
    )
    try:
        return peft.get_peft_model(module, config)
    except ImportError as error:
        # PEFT checks the versions of other libraries too, as in a training run.
        text = "PEFT does not work with another installed library (%s). To update both: %s"
        raise Refusal(text % (error, line_for("peft", "torchao", updates=True))) from error
    except ValueError as error:
        if model["family"] != CONFIGURED or "not found in the base model" not in str(error):
            raise
        raise no_such_modules(module, [targets] if isinstance(targets, str) else targets) from error


def _target_parameters(tuning: dict) -> dict:
    names = tuning.get("target_parameters")
    # PEFT knows it since 0.17.
    return {"target_parameters": names} if names else {}


def _quantize(module, model: dict, tuning: dict, device: torch.device) -> None:
    """Quantizes all linear layers except the output layer, as load_in_4bit and load_in_8bit of transformers do."""
    frozen = tuning.get("frozen_weights", "same")
    if frozen not in ("nf4", "int8"):
        return
    library = require("bitsandbytes")
    wide = tuple(getattr(module, "_keep_in_fp32_modules", None) or ())
    output = module.get_output_embeddings()
    for name, layer in list(module.named_modules()):
        is_linear = isinstance(layer, torch.nn.Linear) or type(layer).__name__ == "Conv1D"
        is_kept = layer is output or name.endswith(("lm_head", "classifier", "router", "mlp.gate") + wide)
        if is_linear and not is_kept and "cls." not in name:
            module.set_submodule(name, _quantized(library, layer, tuning, device))
    setattr(module, "is_loaded_in_4bit" if frozen == "nf4" else "is_loaded_in_8bit", True)


def _quantized(library, layer, tuning: dict, device: torch.device):
    weight = layer.weight.detach()
    if type(layer).__name__ == "Conv1D":
        weight = weight.t().contiguous()
    rows, columns = weight.shape
    if tuning["frozen_weights"] == "nf4":
        double = bool(tuning.get("double_quantization", True))
        made = library.nn.Linear4bit(
            columns,
            rows,
            bias=layer.bias is not None,
            compute_dtype=weight.dtype,
            compress_statistics=double,
            quant_type="nf4",
        )
        made.weight = library.nn.Params4bit(
            weight, requires_grad=False, compress_statistics=double, quant_type="nf4", module=made
        )
    else:
        # threshold: the default of llm_int8_threshold in BitsAndBytesConfig of transformers.
        made = library.nn.Linear8bitLt(
            columns, rows, bias=layer.bias is not None, has_fp16_weights=False, threshold=6.0
        )
        weight = weight.contiguous()
        made.weight = library.nn.Int8Params(weight, requires_grad=False, has_fp16_weights=False)
    if layer.bias is not None:
        made.bias = layer.bias
    # bitsandbytes quantizes a weight when it is moved to a device, even if it is already there.
    return made.requires_grad_(False).to(device)


def all_elements(module, untuned: int) -> int:
    """Returns the number of all parameters, with adapters and copies. Elements of quantized matrices count in full."""
    added = sum(
        parameter.numel()
        for name, parameter in module.named_parameters()
        if "lora_" in name or "modules_to_save" in name
    )
    return untuned + added
