# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decoders that also normalize the output of a branch, before it is added to the hidden state."""

from transformers import (
    Gemma2Config,
    Gemma2ForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    Glm4Config,
    Glm4ForCausalLM,
)

from .llama import Llama
from .network import Piece, halves_of_pairs, linear


class Gemma2(Llama):
    """The layers in windowed have a window; scores of attention and logits are capped."""

    family = "gemma2"
    classes = Gemma2Config, Gemma2ForCausalLM
    # Other kernels cannot cap scores.
    attention = "eager"
    own = {"attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}
    caps = {"attention_soft_cap": 2.0, "logit_soft_cap": 3.0}

    def __init__(self, layers: int, head_size: int, window: int, windowed: tuple[int, ...], **sizes):
        kinds = ["sliding_attention" if layer in windowed else "full_attention" for layer in range(layers)]
        super().__init__(
            layers=layers,
            head_size=head_size,
            tied=True,
            query_pre_attn_scalar=head_size,
            sliding_window=window,
            layer_types=kinds,
            pad_token_id=None,
            **self.own,
            **sizes,
        )
        # Our network has no scale of embeddings, since it does not change the speed.
        self.module.model.embed_tokens.embed_scale.fill_(1.0)
        self.model |= {
            "activation": "geglu",
            "branch_output_normalization": True,
            "attention_window": window,
            "windowed_layers": list(windowed),
            **self.caps,
        }

    def _add_norm(self, ours: str, theirs: str) -> None:
        self.pieces[f"{ours}.weight"] = [Piece(f"{theirs}.weight", shift=1.0)]

    def _add_norms_of_feed_forward(self, ours: str, theirs: str) -> None:
        self._add_norm(f"{ours}.attention_output_norm", f"{theirs}.post_attention_layernorm")
        self._add_norm(f"{ours}.feed_forward_norm", f"{theirs}.pre_feedforward_layernorm")
        self._add_norm(f"{ours}.feed_forward_output_norm", f"{theirs}.post_feedforward_layernorm")


class Gemma3(Gemma2):
    family = "gemma3_text"
    classes = Gemma3TextConfig, Gemma3ForCausalLM
    attention = "sdpa"
    # Our network has the same rotary base in all layers, since it does not change the speed.
    own = {
        "rope_parameters": {
            kind: {"rope_type": "default", "rope_theta": 10000.0}
            for kind in ("sliding_attention", "full_attention")
        }
    }
    caps = {}

    def __init__(self, **sizes):
        super().__init__(**sizes)
        self.model["query_key_normalization"] = True

    def _theta(self, rope: dict[str, object]) -> float:
        return rope["full_attention"]["rope_theta"]

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        self._add_norm(f"{ours}.attention.query_norm", f"{theirs}.self_attn.q_norm")
        self._add_norm(f"{ours}.attention.key_norm", f"{theirs}.self_attn.k_norm")


class Glm4(Llama):
    family = "glm4"
    classes = Glm4Config, Glm4ForCausalLM
    attention_bias = True

    def __init__(self, width: int, heads: int, key_value_heads: int, **sizes):
        head_size = width // heads
        rotated = head_size // 2
        self._turns = {
            "q": halves_of_pairs(heads, rotated),
            "k": halves_of_pairs(key_value_heads, rotated),
            "v": lambda theirs: theirs,
        }
        super().__init__(
            width=width,
            heads=heads,
            key_value_heads=key_value_heads,
            head_size=head_size,
            attention_bias=True,
            pad_token_id=None,
            **sizes,
        )
        self.model |= {"branch_output_normalization": True, "rotary_dimensions": rotated}

    def _add_attention(self, ours: str, theirs: str) -> None:
        super()._add_attention(ours, theirs)
        for kind in ("weight", "bias"):
            self.pieces[f"{ours}.attention.qkv.{kind}"] = [
                Piece(f"{theirs}.self_attn.{part}_proj.{kind}", turn) for part, turn in self._turns.items()
            ]

    def _add_norms_of_feed_forward(self, ours: str, theirs: str) -> None:
        self._add_norm(f"{ours}.attention_output_norm", f"{theirs}.post_self_attn_layernorm")
        self._add_norm(f"{ours}.feed_forward_norm", f"{theirs}.post_attention_layernorm")
        self._add_norm(f"{ours}.feed_forward_output_norm", f"{theirs}.post_mlp_layernorm")

    def _add_feed_forward(self, ours: str, theirs: str) -> None:
        self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.gate_up_proj", bias=False)
        self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.down_proj", bias=False)
