# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decoders other than GPT-2 with learned positions."""

from transformers import GPTNeoConfig, GPTNeoForCausalLM, OPTConfig, OPTForCausalLM

from .causal import CausalNetwork
from .network import linear


class GptNeo(CausalNetwork):
    """Every other layer, from the second on, has a window."""

    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, length: int, window: int):
        windowed = list(range(1, layers, 2))
        config = GPTNeoConfig(
            vocab_size=vocabulary,
            max_position_embeddings=length,
            hidden_size=width,
            num_layers=layers,
            num_heads=heads,
            window_size=window,
            attention_types=[[["local" if layer in windowed else "global"], 1] for layer in range(layers)],
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = GPTNeoForCausalLM._from_config(config, attn_implementation="eager")
        for block in self.module.transformer.h:
            _scale_scores(block.attn.attention)
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "gpt_neo",
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "key_value_heads": heads,
            "feed_forward_size": 4 * width,
            "max_positions": length,
            "position_embedding": "learned",
            "normalization": "layernorm",
            "normalization_epsilon": config.layer_norm_epsilon,
            "activation": "gelu_new",
            "tied_embeddings": True,
            "attention_bias": False,
            "attention_window": window,
            "windowed_layers": windowed,
        }
        self.pieces = {
            **linear("embed_tokens", "transformer.wte", bias=False),
            **linear("embed_positions", "transformer.wpe", bias=False),
            **linear("final_norm", "transformer.ln_f"),
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"transformer.h.{layer}"
            attention = f"{theirs}.attn.attention"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.ln_1")
            self.pieces |= linear(
                f"{ours}.attention.qkv", *(f"{attention}.{part}_proj" for part in "qkv"), bias=False
            )
            self.pieces |= linear(f"{ours}.attention.output", f"{attention}.out_proj")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.ln_2")
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.mlp.c_fc")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.mlp.c_proj")


def _scale_scores(attention) -> None:
    """Scales scores as our network does. Only GPT-Neo does not, which changes values but not the speed."""
    scores_of = attention._attn

    def attend(query, *others):
        return scores_of(query * query.shape[-1] ** -0.5, *others)

    attention._attn = attend


class Opt(CausalNetwork):
    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, length: int):
        config = OPTConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            num_hidden_layers=layers,
            ffn_dim=4 * width,
            max_position_embeddings=length,
            num_attention_heads=heads,
            dropout=0.0,
            pad_token_id=None,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = OPTForCausalLM._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "opt",
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "key_value_heads": heads,
            "feed_forward_size": 4 * width,
            "max_positions": length,
            "position_offset": 2,
            "position_embedding": "learned",
            "normalization": "layernorm",
            "activation": "relu",
            "tied_embeddings": True,
        }
        self.pieces = {
            **linear("embed_tokens", "model.decoder.embed_tokens", bias=False),
            **linear("embed_positions", "model.decoder.embed_positions", bias=False),
            **linear("final_norm", "model.decoder.final_layer_norm"),
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"model.decoder.layers.{layer}"
            attention = f"{theirs}.self_attn"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.self_attn_layer_norm")
            self.pieces |= linear(f"{ours}.attention.qkv", *(f"{attention}.{part}_proj" for part in "qkv"))
            self.pieces |= linear(f"{ours}.attention.output", f"{attention}.out_proj")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.final_layer_norm")
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.fc1")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.fc2")
