# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Defaults and parameter counts of the model in a load message.

They match core/model/architecture_fields.h and the parameter tables in core/model."""

from __future__ import annotations

# Family of networks that are described only by the text of their config.json.
CONFIGURED = "transformers"

_DECODER = {
    "head_size": 0,
    "position_embedding": "learned",
    "normalization": "layernorm",
    "activation": "gelu",
    "tied_embeddings": True,
    "attention_bias": True,
    "attention_output_bias": True,
    "feed_forward_bias": True,
    "output_bias": False,
    "query_key_normalization": False,
    "embedding_normalization": False,
    "normalization_bias": True,
    "branch_output_normalization": False,
    "branches": "sequential",
    "normalization_epsilon": 1e-5,
    "rope_theta": 10000.0,
    "rotary_dimensions": 0,
    "unrotated_layers": [],
    "position_offset": 0,
    "attention_window": 0,
    "windowed_layers": [],
    "attention_soft_cap": 0.0,
    "logit_soft_cap": 0.0,
    "experts": 0,
    "experts_per_token": 2,
    "shared_expert_size": 0,
    "shared_expert_gate": False,
    "dense_layers": 0,
    "dense_feed_forward_size": 0,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
_ENCODER = {
    "token_types": 2,
    "position_embedding": "learned",
    "activation": "gelu",
    "normalizes_first": False,
    "embedding_normalization": True,
    "final_normalization": False,
    "pooler": False,
    "masked_language_head": True,
    "next_sentence_head": False,
    "sentence_classes": 2,
    "tied_embeddings": True,
    "predicted_tokens": 0,
    "token_dropout": False,
    "mask_token": 0,
    "normalization_epsilon": 1e-12,
    "rope_theta": 10000.0,
    "rotary_dimensions": 0,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
_ENCODER_DECODER = {
    "relative_buckets": 32,
    "max_relative_distance": 128,
    "normalization": "rmsnorm",
    "activation": "relu",
    "tied_embeddings": True,
    "normalization_epsilon": 1e-6,
    "dropout": 0.0,
}
_VISION_TRANSFORMER = {
    "channels": 3,
    "activation": "gelu",
    "attention_bias": True,
    "normalization_epsilon": 1e-6,
    "dropout": 0.0,
    "attention_dropout": 0.0,
}
_RES_NET = {"channels": 3, "width": 64}
_OTHERS = {
    "bert": _ENCODER,
    "esm2": _ENCODER,
    "t5": _ENCODER_DECODER,
    "vit": _VISION_TRANSFORMER,
    "resnet": _RES_NET,
}


def completed(model: dict) -> dict:
    """Returns the model with defaults for absent fields. A model with a config.json of transformers has none."""
    if model["family"] == CONFIGURED:
        return dict(model)
    defaults = _OTHERS.get(model["family"], _DECODER)
    whole = {**defaults, **model}
    # JSON may contain 10000.0 as an integer, which strict configurations refuse.
    whole.update({name: float(whole[name]) for name, value in defaults.items() if isinstance(value, float)})
    if "heads" in whole:
        whole.setdefault("key_value_heads", whole["heads"])
    return whole


def is_gated(model: dict) -> bool:
    return model["activation"] in ("swiglu", "geglu", "geglu_new")


def head_size(model: dict) -> int:
    return model["head_size"] or model["hidden_size"] // model["heads"]


def parameters_of(model: dict) -> int | None:
    """Returns the number of parameters of a completed model, or None if only the class determines it."""
    counts = {
        "bert": _encoder_parameters,
        "esm2": _encoder_parameters,
        "t5": _encoder_decoder_parameters,
        "vit": _vision_transformer_parameters,
        "resnet": lambda _: None,
        CONFIGURED: lambda _: None,
    }
    return counts.get(model["family"], _decoder_parameters)(model)


def _linear(inputs: int, outputs: int, bias: bool = True) -> int:
    return inputs * outputs + (outputs if bias else 0)


def _decoder_parameters(m: dict) -> int:
    width, vocabulary = m["hidden_size"], m["vocabulary_size"]
    norm = width * (2 if m["normalization"] == "layernorm" and m["normalization_bias"] else 1)
    count = vocabulary * width + norm
    if m["position_embedding"] == "learned":
        count += (m["max_positions"] + m["position_offset"]) * width
    if m["embedding_normalization"]:
        count += norm
    if not m["tied_embeddings"]:
        count += vocabulary * width
    if m["output_bias"]:
        count += vocabulary
    dense = m["dense_layers"] if m["experts"] > 1 else m["layers"]
    count += dense * _dense_parameters(m, _dense_size(m))
    count += (m["layers"] - dense) * _expert_parameters(m)
    return count + m["layers"] * (_attention_parameters(m) + _norms_of_layer(m) * norm)


def _dense_size(m: dict) -> int:
    return (m["experts"] > 1 and m["dense_feed_forward_size"]) or m["feed_forward_size"]


def _norms_of_layer(m: dict) -> int:
    norms = 1 if m["branches"] == "parallel" else 2
    return norms + (2 if m["branch_output_normalization"] else 0)


def _attention_parameters(m: dict) -> int:
    size = head_size(m)
    queries, pairs = m["heads"] * size, m["key_value_heads"] * size
    count = _linear(m["hidden_size"], queries + 2 * pairs, m["attention_bias"])
    count += _linear(queries, m["hidden_size"], m["attention_output_bias"])
    return count + (2 * size if m["query_key_normalization"] else 0)


def _dense_parameters(m: dict, size: int) -> int:
    width, bias = m["hidden_size"], m["feed_forward_bias"]
    inner = size * (2 if is_gated(m) else 1)
    return _linear(width, inner, bias) + _linear(size, width, bias)


def _expert_parameters(m: dict) -> int:
    width, size = m["hidden_size"], m["feed_forward_size"]
    if m["experts"] <= 1:
        return 0
    count = m["experts"] * (width + size * width * (3 if is_gated(m) else 2))
    if m["shared_expert_size"]:
        count += _dense_parameters(m, m["shared_expert_size"])
    return count + (width if m["shared_expert_gate"] else 0)


def _encoder_parameters(m: dict) -> int:
    width, vocabulary, norm = m["hidden_size"], m["vocabulary_size"], 2 * m["hidden_size"]
    count = (vocabulary + m["token_types"]) * width
    if m["position_embedding"] == "learned":
        count += m["max_positions"] * width
    count += norm * (int(m["embedding_normalization"]) + int(m["final_normalization"]))
    layer = _linear(width, 3 * width) + _linear(width, width) + 2 * norm
    layer += _linear(width, m["feed_forward_size"]) + _linear(m["feed_forward_size"], width)
    count += m["layers"] * layer
    if m["pooler"]:
        count += _linear(width, width)
    if m["masked_language_head"]:
        count += _linear(width, width) + norm + vocabulary
        count += 0 if m["tied_embeddings"] else vocabulary * width
    if m["next_sentence_head"]:
        count += _linear(width, m["sentence_classes"])
    return count


def _encoder_decoder_parameters(m: dict) -> int:
    width, inner = m["hidden_size"], m["heads"] * m["head_size"]
    norm = width * (2 if m["normalization"] == "layernorm" else 1)
    attention = 4 * width * inner + norm
    dense = width * m["feed_forward_size"] * (3 if is_gated(m) else 2) + norm
    count = m["vocabulary_size"] * width * (1 if m["tied_embeddings"] else 2)
    count += 2 * (m["relative_buckets"] * m["heads"] + norm)
    return count + m["encoder_layers"] * (attention + dense) + m["decoder_layers"] * (2 * attention + dense)


def _vision_transformer_parameters(m: dict) -> int:
    width, norm = m["hidden_size"], 2 * m["hidden_size"]
    patches = (m["image_size"] // m["patch_size"]) ** 2
    layer = _linear(width, 3 * width, m["attention_bias"]) + _linear(width, width) + 2 * norm
    layer += _linear(width, m["feed_forward_size"]) + _linear(m["feed_forward_size"], width)
    count = width * (patches + 2) + norm + m["layers"] * layer
    count += _linear(m["channels"] * m["patch_size"] ** 2, width)
    return count + _linear(width, m["classes"])
