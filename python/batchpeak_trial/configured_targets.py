# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chooses the modules that get adapters in a network that a config.json describes: by PEFT's target_modules, or
by Batchpeak's kinds of projections, which have the same names in many classes."""

from __future__ import annotations

import re

import torch

from .serving import Refusal

_ALL_LINEAR = "all-linear"
_FUSED_ATTENTION = ("query_key_value", "qkv_proj", "c_attn", "Wqkv", "qkv", "att_proj")
_LAST_NAMES = {
    "query": ("q_proj", "query", "q_lin", "q", "wq", "q_b_proj", "query_proj"),
    "key": ("k_proj", "key", "k_lin", "k", "wk", "kv_b_proj", "key_proj"),
    "value": ("v_proj", "value", "v_lin", "v", "wv", "kv_b_proj", "value_proj"),
    "query_key_value": _FUSED_ATTENTION,
    "key_value": ("kv_proj", "kv_b_proj"),
    "attention_output": ("o_proj", "out_proj", "out_lin", "o", "wo", "Wo", "attn_out"),
    "gate": ("gate_proj", "w1", "wi_0"),
    "up": ("up_proj", "w3", "wi_1", "wi", "fc1", "c_fc", "fc_in", "dense_h_to_4h", "lin1"),
    "gate_up": ("gate_up_proj", "Wi", "gate_and_up_proj"),
    "down": ("down_proj", "w2", "wo", "Wo", "fc2", "fc_out", "dense_4h_to_h", "lin2"),
    "dense": ("pooler.dense", "transform.dense"),
    "output": ("lm_head", "embed_out", "classifier", "score"),
}
# These names mean the projection only in some places of a class.
_PLACES = {
    ("query", "q"): r"(?i)attention",
    ("key", "k"): r"(?i)attention",
    ("value", "v"): r"(?i)attention",
    ("attention_output", "o"): r"(?i)attention",
    ("attention_output", "out_proj"): r"(?i)att",
    ("attention_output", "wo"): r"(?i)att",
    ("attention_output", "Wo"): r"(?i)att",
    ("down", "wo"): r"(?i)(ff|dense|mlp)",
    ("down", "Wo"): r"(?i)(ff|dense|mlp)",
}
_ENDS = {
    "attention_output": r"(attn\.c_proj|attention\.dense|self_attn\.dense|attention\.output\.dense)$",
    "up": r"intermediate\.dense$",
    "down": r"(mlp\.c_proj|(?<!attention\.)output\.dense)$",
}
# Kinds that a network may have instead of another kind.
_INSTEAD = {
    "query": ("query_key_value",),
    "key": ("query_key_value", "key_value"),
    "value": ("query_key_value", "key_value"),
    "query_key_value": ("query", "key", "value"),
    "gate": ("gate_up",),
    "up": ("gate_up",),
    "gate_up": ("gate", "up"),
}
_LAYER = re.compile(r"\.(?:h|layers|layer|block|blocks)\.(\d+)\.")


def target_modules(module, tuning: dict) -> list[str] | str:
    """Returns target_modules for PEFT's LoraConfig.

    Kinds that the network does not have are ignored if it has any of the others, as PEFT does with names.
    Raises Refusal."""
    names = tuning.get("target_modules")
    if names:
        return _ALL_LINEAR if names in (_ALL_LINEAR, [_ALL_LINEAR]) else names
    targets = tuning.get("targets") or []
    if not targets and tuning.get("target_parameters"):
        return []
    kinds = [target.get("projection") for target in targets if isinstance(target, dict)]
    if any(kind in ("all", "all_linear", _ALL_LINEAR) for kind in kinds):
        return _ALL_LINEAR
    matrices = [name for name, part in module.named_modules() if _is_matrix(part)]
    found: list[str] = []
    for target in targets:
        kind, layers = target.get("projection"), target.get("layers") or []
        for tried in ((kind,), _INSTEAD.get(kind, ())):
            chosen = [
                name
                for name in matrices
                if any(_is_of_kind(name, word) for word in tried) and _is_in(name, layers)
            ]
            if chosen:
                found += chosen
                break
    if not found:
        raise no_such_modules(module, kinds)
    return list(dict.fromkeys(found))


def no_such_modules(module, wanted: list) -> Refusal:
    """Returns a Refusal that lists the modules of the network by the last part of their names."""
    there = {
        name.rpartition(".")[2]
        for name, part in module.named_modules()
        if _is_matrix(part) and not name.rpartition(".")[2].isdigit()
    }
    text = "The network has no modules for adapters that match %s. Its matrices are %s."
    listed = ", ".join(sorted(there)[:40]) or "none"
    return Refusal(text % (", ".join(map(str, wanted)) or "nothing", listed))


def _is_matrix(part) -> bool:
    return isinstance(part, torch.nn.Linear) or type(part).__name__ in ("Conv1D", "Linear4bit", "Linear8bitLt")


def _is_of_kind(name: str, kind) -> bool:
    last = name.rpartition(".")[2]
    if last in _LAST_NAMES.get(kind, ()):
        place = _PLACES.get((kind, last))
        return not place or bool(re.search(place, name))
    if any("." in end and name.endswith(end) for end in _LAST_NAMES.get(kind, ())):
        return True
    end = _ENDS.get(kind)
    return bool(end and re.search(end, name))


def _is_in(name: str, layers: list) -> bool:
    match = _LAYER.search(name)
    return not layers or not match or int(match[1]) in layers
