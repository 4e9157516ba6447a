# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the network of transformers or torchvision that a load message describes, with random weights.

Nothing is downloaded. If their network differs from the description, it is refused, since its speed would
differ too."""

from __future__ import annotations


from .configured_networks import reward_class_of
from .descriptions import completed, head_size, is_gated, parameters_of
from .requirements import line_for, require
from .serving import Refusal

_INSTEAD = "Leave out --with or --worker, so that batchpeak-worker runs it."
_ABSENT = {
    "btlm": "BTLM",
    "jais": "Jais",
    "qwen": "the first Qwen",
    "torchscript": "a TorchScript file",
}
_PLAIN_ACTIVATIONS = {
    "gelu": ("gelu",),
    "gelu_tanh": ("gelu_pytorch_tanh",),
    "gelu_new": ("gelu_new", "gelu_accurate", "gelu_python_tanh"),
    "gelu_fast": ("gelu_fast",),
    "gelu_python": ("gelu_python",),
    "relu": ("relu",),
    "relu_squared": ("relu2",),
}
_GATED_ACTIVATIONS = {
    "swiglu": ("silu", "swish"),
    "geglu": ("gelu_pytorch_tanh",),
    "geglu_new": ("gelu_new", "gelu_fast", "gelu_accurate", "gelu_python_tanh"),
}

# Rotary decoders whose configuration has LLaMA's names: further fields of a model that have a key, and properties
# that the class always has.
_LLAMA_BIASES = {"attention_bias": "attention_bias", "feed_forward_bias": "mlp_bias"}
_BIAS = {"attention_bias": "attention_bias"}
_USE_BIAS = {"attention_bias": "use_bias"}
_ROTARY = {
    "llama": {"keys": {**_LLAMA_BIASES, "head_size": "head_dim"}},
    "mistral": {"keys": {"head_size": "head_dim"}, "windows": "all"},
    "mixtral": {"keys": {"experts": "num_local_experts", "head_size": "head_dim"}, "windows": "all"},
    "qwen2": {"keys": {}, "windows": "switched"},
    "qwen2_moe": {
        "keys": {
            "attention_bias": "qkv_bias",
            "experts": "num_experts",
            "feed_forward_size": "moe_intermediate_size",
            "shared_expert_size": "shared_expert_intermediate_size",
        },
        "windows": "switched",
    },
    "qwen3": {"keys": {**_BIAS, "head_size": "head_dim"}, "windows": "switched"},
    "qwen3_moe": {
        "keys": {
            **_BIAS,
            "head_size": "head_dim",
            "experts": "num_experts",
            "feed_forward_size": "moe_intermediate_size",
        },
        "windows": "switched",
    },
    "phi": {"keys": {"dropout": "resid_pdrop"}, "more": {"dropout": "embd_pdrop"}},
    "phi3": {"keys": {"dropout": "resid_pdrop"}, "windows": "all"},
    "gemma": {"keys": {**_BIAS, "head_size": "head_dim"}},
    "gemma2": {"keys": {**_BIAS, "head_size": "head_dim"}, "windows": "layers"},
    "gemma3_text": {"keys": {**_BIAS, "head_size": "head_dim"}, "windows": "layers"},
    "stablelm": {"keys": {"attention_bias": "use_qkv_bias", "dropout": "hidden_dropout"}},
    "starcoder2": {
        "keys": {"feed_forward_bias": "use_bias", "dropout": "residual_dropout"},
        "more": {"dropout": "embedding_dropout"},
        "windows": "all",
    },
    "seed_oss": {
        "keys": {
            **_LLAMA_BIASES,
            "attention_output_bias": "attention_out_bias",
            "head_size": "head_dim",
            "dropout": "residual_dropout",
        }
    },
    "glm": {"keys": {**_BIAS, "head_size": "head_dim"}},
    "glm4": {"keys": {**_BIAS, "head_size": "head_dim"}},
    "glm4_moe": {
        "keys": {
            **_BIAS,
            "head_size": "head_dim",
            "experts": "n_routed_experts",
            "feed_forward_size": "moe_intermediate_size",
            "query_key_normalization": "use_qk_norm",
            "dense_layers": "first_k_dense_replace",
        }
    },
    "smollm3": {"keys": _LLAMA_BIASES, "windows": "switched"},
    "hunyuan_v1_dense": {"keys": {**_BIAS, "head_size": "head_dim"}},
    "cohere": {"keys": _BIAS},
    "cohere2": {"keys": _BIAS, "windows": "layers"},
    "granite": {"keys": _LLAMA_BIASES},
    "granitemoe": {"keys": {**_BIAS, "experts": "num_local_experts"}},
    "nemotron": {"keys": {**_LLAMA_BIASES, "head_size": "head_dim"}},
    "arcee": {"keys": {**_LLAMA_BIASES, "head_size": "head_dim"}},
    "ernie4_5": {"keys": {**_USE_BIAS, "head_size": "head_dim"}},
    "gpt_neox": {"keys": {**_BIAS, "dropout": "hidden_dropout"}},
}
_EPSILON = {
    "phi": "layer_norm_eps",
    "stablelm": "layer_norm_eps",
    "cohere": "layer_norm_eps",
    "cohere2": "layer_norm_eps",
    "gpt_neox": "layer_norm_eps",
    "starcoder2": "norm_epsilon",
    "nemotron": "norm_eps",
}
# Properties that a class always has and that its parameters do not show.
_POSITIONS = {
    **dict.fromkeys(_ROTARY, ("rotary",)),
    **dict.fromkeys(("gpt2", "gpt3", "gpt_bigcode", "gpt_neo", "opt", "bert"), ("learned",)),
    "gptj": ("rotary",),
    "falcon": ("rotary", "alibi"),
    "bloom": ("alibi",),
    "mpt": ("alibi",),
    "esm2": ("rotary",),
}
_BRANCHES = {
    "phi": ("parallel",),
    "cohere": ("parallel",),
    "cohere2": ("parallel",),
    "gptj": ("parallel",),
    "stablelm": ("sequential", "parallel"),
    "gpt_neox": ("sequential", "parallel_norms"),
    "falcon": ("sequential", "parallel", "parallel_norms"),
}
_WINDOWED = {family for family, known in _ROTARY.items() if "windows" in known} | {"gpt_neo"}
_LAYER_NORMS = {
    *_EPSILON,
    *("gpt2", "gpt3", "gpt_bigcode", "gpt_neo", "gptj", "falcon", "opt", "bloom", "mpt"),
}
_SOFT_CAPS = {"gemma2", "gemma3_text"}
_NO_PREFERENCES = {"bert", "esm2", "t5", "vit", "resnet"}


class RefusedHere(Refusal):
    """Refusal of a run that batchpeak-worker may support. what is the sentence without the advice to use it."""

    def __init__(self, what: str):
        super().__init__("%s %s" % (what, _INSTEAD))
        self.what = what


def refuse(what: str) -> Refusal:
    return RefusedHere(what)


def build(model: dict, attention: str | None = None, preference: str = ""):
    """Returns a module on torch's default device, with torch's default dtype.

    model is that of the load message; attention is an attn_implementation of transformers, None for its
    default. With the preference "reward", the module computes one score for a text.
    Raises Refusal."""
    if model.get("family") in _ABSENT:
        raise refuse("transformers has no class for %s." % _ABSENT[model["family"]])
    model = completed(model)
    if preference and model["family"] in _NO_PREFERENCES:
        raise refuse("Preference training needs a decoder that generates text, which %s is not." % model["family"])
    if preference == "reward":
        return _reward_network(model, attention)
    if model["family"] == "resnet":
        return _residual_network(model)
    module = _network_class(model).from_config(config_of(model), **_attention(model, attention))
    _mend(module, model)
    _check_parameters(module, model)
    return module


def _reward_network(model: dict, attention: str | None):
    config = config_of(model)
    made = reward_class_of(config)
    if not made:
        raise refuse("transformers has no class that computes one score for a text for %s." % model["family"])
    config.num_labels, config.pad_token_id = 1, 0
    return made._from_config(config, **_attention(model, attention))


def config_of(model: dict):
    """Returns the configuration of transformers for a completed model."""
    import transformers

    family = model["family"]
    makers = {
        "gpt2": _gpt2,
        "gpt3": _gpt2,
        "gpt_bigcode": _gpt_big_code,
        "bloom": _bloom,
        "mpt": _mpt,
        "gptj": _gptj,
        "gpt_neo": _gpt_neo,
        "falcon": _falcon,
        "opt": _opt,
        "bert": _bert,
        "esm2": _esm2,
        "t5": _t5,
        "vit": _vit,
    }
    if family not in makers and family not in _ROTARY:
        raise refuse("The family %r of networks is unknown here." % family)
    _check_features(model)
    keys = makers[family](model) if family in makers else _rotary(model)
    kind = {"gpt3": "gpt2", "esm2": "esm"}.get(family, family)
    if kind not in transformers.CONFIG_MAPPING:
        text = "transformers %s has no class for %s. To update it: %s"
        raise Refusal(text % (transformers.__version__, family, line_for("transformers", updates=True)))
    try:
        config = transformers.AutoConfig.for_model(kind, **keys)
    except Exception as error:  # each class checks its keys in its own way
        raise refuse("transformers makes no %s of these sizes (%s)." % (family, error)) from error
    _set_activation(config, model)
    return config


def _network_class(model: dict):
    import transformers

    if model["family"] == "bert":
        return _AutoOf(transformers, _bert_class(model))
    names = {
        "esm2": "AutoModelForMaskedLM",
        "t5": "AutoModelForSeq2SeqLM",
        "vit": "AutoModelForImageClassification",
    }
    return getattr(transformers, names.get(model["family"], "AutoModelForCausalLM"))


class _AutoOf:
    """Makes a named class of a library, with the interface of transformers' auto classes."""

    def __init__(self, library, name: str):
        self._class = getattr(library, name)

    def from_config(self, config, **options):
        return self._class._from_config(config, **options)


def _attention(model: dict, attention: str | None) -> dict:
    # Only transformers' eager attention can cap scores.
    word = "eager" if model.get("attention_soft_cap") else attention
    return {"attn_implementation": word} if word else {}


def _check_features(model: dict) -> None:
    family = model["family"]
    checks = (
        ("position_embedding", _POSITIONS.get(family), "positions that are %s"),
        ("branches", _BRANCHES.get(family, ("sequential",)), "branches that are %s"),
    )
    for field, known, phrase in checks:
        value = model.get(field)
        if value is not None and known is not None and value not in known:
            raise refuse("The network has %s, which transformers' %s does not have." % (phrase % value, family))
    if model.get("normalization") and family in _POSITIONS:
        expected = "layernorm" if family in _LAYER_NORMS else "rmsnorm"
        if model["normalization"] != expected:
            text = "The network is normalized by %s, transformers' %s by %s."
            raise refuse(text % (model["normalization"], family, expected))
    if model.get("attention_window") and family not in _WINDOWED:
        raise refuse("The network's attention has a window, which transformers' %s does not have." % family)
    if (model.get("attention_soft_cap") or model.get("logit_soft_cap")) and family not in _SOFT_CAPS:
        raise refuse("The network caps its scores, which transformers' %s does not." % family)
    if model.get("unrotated_layers") and family not in ("smollm3", "cohere2"):
        raise refuse("Some layers of the network have no rotary embedding, but those of transformers' %s do." % family)


def _set_activation(config, model: dict) -> None:
    """Sets the activation, unless the default of the class has the same speed."""
    if model["family"] in ("t5", "bloom", "mpt"):
        return
    known = _GATED_ACTIVATIONS if is_gated(model) else _PLAIN_ACTIVATIONS
    words = known.get(model["activation"]) or _refuse_activation(model)
    for name in ("hidden_activation", "activation_function", "activation", "hidden_act"):
        if hasattr(config, name):
            if getattr(config, name) not in words:
                setattr(config, name, words[0])
            return


def _refuse_activation(model: dict):
    raise refuse("transformers' %s does not have the activation %s." % (model["family"], model["activation"]))


def _check_parameters(module, model: dict) -> None:
    expected = parameters_of(model)
    found = sum(parameter.numel() for parameter in module.parameters())
    if expected is not None and found != expected:
        text = "The network has {:,} parameters, but transformers' {} of its sizes has {:,}."
        raise refuse(text.format(expected, model["family"], found))


def _mend(module, model: dict) -> None:
    if model["family"] == "bert" and model["masked_language_head"] and model["predicted_tokens"]:
        _predict_masked_tokens_alone(module)
    if model["family"] == "bloom" and model["activation"] != "bloom_gelu":
        _activate_bloom(module, model)
    if model["family"] == "esm2":
        # It does not contribute to the loss.
        module.esm.contact_head = None
    if model["family"] == "t5" and not model["tied_embeddings"]:
        _untie_t5(module)
    if model["family"] == "mixtral" and hasattr(module.config, "output_router_logits"):
        module.config.output_router_logits = False


def _predict_masked_tokens_alone(module) -> None:
    """Computes scores for masked tokens only. transformers computes them for all tokens, but a config that states
    how many are predicted, such as Cerebras', means only these. The network then takes their positions, and labels
    for them only."""
    import torch
    from transformers.modeling_outputs import MaskedLMOutput

    def forward(input_ids, places, labels, token_type_ids=None, next_sentence_label=None, **_):
        encoded = module.bert(input_ids, token_type_ids=token_type_ids)
        hidden = encoded.last_hidden_state
        picked = hidden.gather(1, places.unsqueeze(-1).expand(-1, -1, hidden.shape[-1]))
        if next_sentence_label is None:
            scores, relation = module.cls(picked), None
        else:
            scores, relation = module.cls(picked, encoded.pooler_output)
        loss = torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())
        if relation is not None:
            loss = loss + torch.nn.functional.cross_entropy(relation, next_sentence_label)
        return MaskedLMOutput(loss=loss, logits=scores)

    module.forward = forward


def _activate_bloom(module, model: dict) -> None:
    """Replaces the activation of the class, which consists of several operations and ignores the configuration."""
    from transformers.activations import ACT2FN

    word = (_PLAIN_ACTIVATIONS.get(model["activation"]) or _refuse_activation(model))[0]
    for part in module.modules():
        if hasattr(part, "gelu_impl"):
            part.gelu_impl = ACT2FN[word]


def _untie_t5(module) -> None:
    """Gives the output its own matrix, as in the published T5 1.1. transformers 5 always shares it with the
    embedding."""
    import torch

    if module.lm_head.weight is module.shared.weight:
        module.lm_head.weight = torch.nn.Parameter(module.shared.weight.detach().clone())


def _text(m: dict) -> dict:
    return {
        "vocab_size": m["vocabulary_size"],
        "tie_word_embeddings": m["tied_embeddings"],
        "pad_token_id": None,
        "bos_token_id": None,
        "eos_token_id": None,
    }


def _rotary(m: dict) -> dict:
    family, known = m["family"], _ROTARY[m["family"]]
    keys = {
        **_text(m),
        "hidden_size": m["hidden_size"],
        "intermediate_size": m["feed_forward_size"],
        "num_hidden_layers": m["layers"],
        "num_attention_heads": m["heads"],
        "num_key_value_heads": m["key_value_heads"],
        "max_position_embeddings": m["max_positions"],
        "attention_dropout": m["attention_dropout"],
        _EPSILON.get(family, "rms_norm_eps"): m["normalization_epsilon"],
    }
    for names in (known["keys"], known.get("more", {})):
        keys.update({key: m[name] for name, key in names.items() if name != "head_size"})
    if "head_size" in known["keys"].keys():
        keys["head_dim"] = head_size(m)
    keys.update(_rotation(m))
    keys.update(_windows(m, known.get("windows")))
    keys.update(_experts(m))
    keys.update(_own_keys(m))
    return keys


def _rotation(m: dict) -> dict:
    share = (m["rotary_dimensions"] or head_size(m)) / head_size(m)
    if m["family"] == "gpt_neox":
        return {"rotary_emb_base": m["rope_theta"], "rotary_pct": share}
    if m["rotary_dimensions"] or m["family"] in ("phi", "stablelm", "glm", "glm4", "glm4_moe", "nemotron"):
        return {"rope_theta": m["rope_theta"], "partial_rotary_factor": share}
    return {"rope_theta": m["rope_theta"]}


def _windows(m: dict, rule: str | None) -> dict:
    window, windowed = m["attention_window"], m["windowed_layers"]
    if rule is None:
        return {}
    layers = windowed or (list(range(m["layers"])) if window else [])
    kinds = ["sliding_attention" if layer in layers else "full_attention" for layer in range(m["layers"])]
    if rule == "layers":
        return {"sliding_window": window or m["max_positions"], "layer_types": kinds}
    if rule == "switched":
        switched = {"use_sliding_window": bool(window), "sliding_window": window or None}
        return {**switched, "max_window_layers": 0, "layer_types": kinds}
    if windowed and len(windowed) < m["layers"]:
        raise refuse("Only some layers have a window, but all or none of transformers' %s do." % m["family"])
    return {"sliding_window": window or None}


def _experts(m: dict) -> dict:
    if m["experts"] <= 1:
        return {}
    keys = {"num_experts_per_tok": m["experts_per_token"]}
    dense = m["dense_feed_forward_size"] or m["feed_forward_size"]
    if m["family"] in ("qwen2_moe", "qwen3_moe"):
        keys.update(intermediate_size=dense, mlp_only_layers=list(range(m["dense_layers"])))
        keys.update(decoder_sparse_step=1)
    if m["family"] == "glm4_moe":
        keys.update(intermediate_size=dense, n_group=1, topk_group=1)
        keys["n_shared_experts"] = m["shared_expert_size"] // m["feed_forward_size"]
    return keys


def _own_keys(m: dict) -> dict:
    """Returns the keys that only one family has."""
    family = m["family"]
    if family == "gemma2":
        return {**_scores(m), "attn_logit_softcapping": m["attention_soft_cap"] or None}
    if family == "gemma3_text":
        return _scores(m)
    if family == "smollm3":
        rotates = [int(layer not in m["unrotated_layers"]) for layer in range(m["layers"])]
        return {"no_rope_layers": rotates}
    if family in ("granite", "granitemoe"):
        return {"attention_multiplier": head_size(m) ** -0.5}
    if family in ("stablelm", "gpt_neox"):
        return {"use_parallel_residual": m["branches"] != "sequential"}
    return {}


def _scores(m: dict) -> dict:
    """Returns the keys of Gemma's scores."""
    return {
        "query_pre_attn_scalar": head_size(m),
        "final_logit_softcapping": m["logit_soft_cap"] or None,
    }


def _gpt2(m: dict) -> dict:
    return {
        **_text(m),
        "n_positions": m["max_positions"],
        "n_embd": m["hidden_size"],
        "n_layer": m["layers"],
        "n_head": m["heads"],
        "n_inner": m["feed_forward_size"],
        "layer_norm_epsilon": m["normalization_epsilon"],
        "resid_pdrop": m["dropout"],
        "embd_pdrop": m["dropout"],
        "attn_pdrop": m["attention_dropout"],
    }


def _gpt_big_code(m: dict) -> dict:
    return {**_gpt2(m), "multi_query": m["key_value_heads"] == 1}


def _gptj(m: dict) -> dict:
    return {**_gpt2(m), "rotary_dim": m["rotary_dimensions"] or head_size(m)}


def _bloom(m: dict) -> dict:
    return {
        **_text(m),
        "hidden_size": m["hidden_size"],
        "n_layer": m["layers"],
        "n_head": m["heads"],
        "layer_norm_epsilon": m["normalization_epsilon"],
        "hidden_dropout": m["dropout"],
        "attention_dropout": m["attention_dropout"],
    }


def _mpt(m: dict) -> dict:
    if m["dropout"] != m["attention_dropout"]:
        raise refuse("transformers' mpt has one dropout rate for attention and branches, the network has two.")
    return {
        **_text(m),
        "d_model": m["hidden_size"],
        "n_heads": m["heads"],
        "n_layers": m["layers"],
        "max_seq_len": m["max_positions"],
        "layer_norm_epsilon": m["normalization_epsilon"],
        # transformers 5 accepts only integers.
        "attn_config": {"alibi": True, "attn_pdrop": m["attention_dropout"] or 0},
    }


def _gpt_neo(m: dict) -> dict:
    windowed = m["windowed_layers"] or (range(m["layers"]) if m["attention_window"] else ())
    kinds = [[["local" if layer in windowed else "global"], 1] for layer in range(m["layers"])]
    return {
        **_text(m),
        "max_position_embeddings": m["max_positions"],
        "hidden_size": m["hidden_size"],
        "num_layers": m["layers"],
        "num_heads": m["heads"],
        "intermediate_size": m["feed_forward_size"],
        "window_size": m["attention_window"] or m["max_positions"],
        "attention_types": kinds,
        "layer_norm_epsilon": m["normalization_epsilon"],
        "resid_dropout": m["dropout"],
        "embed_dropout": m["dropout"],
        "attention_dropout": m["attention_dropout"],
    }


def _falcon(m: dict) -> dict:
    shares = 1 < m["key_value_heads"] < m["heads"]
    is_new = m["branches"] == "parallel_norms" or shares
    return {
        **_text(m),
        "hidden_size": m["hidden_size"],
        "num_hidden_layers": m["layers"],
        "num_attention_heads": m["heads"],
        "num_kv_heads": m["key_value_heads"],
        "ffn_hidden_size": m["feed_forward_size"],
        "max_position_embeddings": m["max_positions"],
        "layer_norm_epsilon": m["normalization_epsilon"],
        "new_decoder_architecture": is_new,
        "num_ln_in_parallel_attn": (2 if m["branches"] == "parallel_norms" else 1) if is_new else None,
        "multi_query": m["key_value_heads"] == 1,
        "parallel_attn": m["branches"] != "sequential",
        "bias": m["attention_bias"],
        "alibi": m["position_embedding"] == "alibi",
        "rope_theta": m["rope_theta"],
        "hidden_dropout": m["dropout"],
        "attention_dropout": m["attention_dropout"],
    }


def _opt(m: dict) -> dict:
    return {
        **_text(m),
        "hidden_size": m["hidden_size"],
        "num_hidden_layers": m["layers"],
        "num_attention_heads": m["heads"],
        "ffn_dim": m["feed_forward_size"],
        "max_position_embeddings": m["max_positions"],
        "enable_bias": m["attention_bias"],
        "dropout": m["dropout"],
        "attention_dropout": m["attention_dropout"],
    }


def _encoder(m: dict) -> dict:
    return {
        "vocab_size": m["vocabulary_size"],
        "tie_word_embeddings": m["tied_embeddings"],
        "hidden_size": m["hidden_size"],
        "num_hidden_layers": m["layers"],
        "num_attention_heads": m["heads"],
        "intermediate_size": m["feed_forward_size"],
        "max_position_embeddings": m["max_positions"],
        "layer_norm_eps": m["normalization_epsilon"],
        "hidden_dropout_prob": m["dropout"],
        "attention_probs_dropout_prob": m["attention_dropout"],
    }


def _bert(m: dict) -> dict:
    if m["normalizes_first"]:
        raise refuse("The network is normalized before its branches, transformers' bert after them.")
    labels = m["sentence_classes"] if m["next_sentence_head"] else 2
    return {**_encoder(m), "type_vocab_size": m["token_types"], "pad_token_id": None, "num_labels": labels}


def _bert_class(m: dict) -> str:
    if m["masked_language_head"]:
        return "BertForPreTraining" if m["next_sentence_head"] else "BertForMaskedLM"
    return "BertForSequenceClassification"


def _esm2(m: dict) -> dict:
    if not m["normalizes_first"]:
        raise refuse("The network is normalized after its branches, transformers' esm before them.")
    return {
        **_encoder(m),
        "position_embedding_type": "rotary",
        "emb_layer_norm_before": m["embedding_normalization"],
        "token_dropout": m["token_dropout"],
        "mask_token_id": m["mask_token"],
        "pad_token_id": 1,
    }


def _t5(m: dict) -> dict:
    if m["normalization"] != "rmsnorm":
        raise refuse("The network is normalized by layernorm, transformers' t5 by rmsnorm.")
    words = {
        "relu": "relu",
        "gelu": "gelu",
        "gelu_tanh": "gelu_pytorch_tanh",
        "gelu_new": "gelu_new",
        "gelu_fast": "gelu_fast",
        "gelu_python": "gelu_python",
        "geglu": "gated-gelu_pytorch_tanh",
        "geglu_new": "gated-gelu",
        "swiglu": "gated-silu",
    }
    if m["activation"] not in words:
        raise refuse("transformers' t5 does not have the activation %s." % m["activation"])
    return {
        "vocab_size": m["vocabulary_size"],
        "d_model": m["hidden_size"],
        "d_kv": m["head_size"],
        "d_ff": m["feed_forward_size"],
        "num_layers": m["encoder_layers"],
        "num_decoder_layers": m["decoder_layers"],
        "num_heads": m["heads"],
        "relative_attention_num_buckets": m["relative_buckets"],
        "relative_attention_max_distance": m["max_relative_distance"],
        "feed_forward_proj": words[m["activation"]],
        "dropout_rate": m["dropout"],
        "layer_norm_epsilon": m["normalization_epsilon"],
        "tie_word_embeddings": m["tied_embeddings"],
        "decoder_start_token_id": 0,
    }


def _vit(m: dict) -> dict:
    return {
        "hidden_size": m["hidden_size"],
        "num_hidden_layers": m["layers"],
        "num_attention_heads": m["heads"],
        "intermediate_size": m["feed_forward_size"],
        "image_size": m["image_size"],
        "patch_size": m["patch_size"],
        "num_channels": m["channels"],
        "num_labels": m["classes"],
        "qkv_bias": m["attention_bias"],
        "layer_norm_eps": m["normalization_epsilon"],
        "hidden_dropout_prob": m["dropout"],
        "attention_probs_dropout_prob": m["attention_dropout"],
    }


def _residual_network(m: dict):
    make = getattr(require("torchvision").models, "resnet%d" % m["depth"], None)
    if not make:
        raise refuse("torchvision has no ResNet of the depth %d." % m["depth"])
    module = make(num_classes=m["classes"])
    if m["width"] != 64 or m["channels"] != 3:
        _resize(module, m)
    return module


def _resize(module, m: dict) -> None:
    """Rebuilds a ResNet for another width or number of channels from torchvision's blocks, as people do:
    torchvision's own have 64 and 3."""
    from torch import nn

    width = module.inplanes = m["width"]
    module.conv1 = nn.Conv2d(m["channels"], width, kernel_size=7, stride=2, padding=3, bias=False)
    module.bn1 = nn.BatchNorm2d(width)
    for stage in range(4):
        name = "layer%d" % (stage + 1)
        blocks = getattr(module, name)
        made = module._make_layer(type(blocks[0]), width << stage, len(blocks), stride=1 if stage == 0 else 2)
        setattr(module, name, made)
    module.fc = nn.Linear(module.inplanes, m["classes"])
