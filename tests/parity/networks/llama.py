# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import LlamaConfig, LlamaForCausalLM

from .causal import CausalNetwork
from .network import Piece, linear


class Llama(CausalNetwork):
    def __init__(
        self,
        layers: int,
        width: int,
        heads: int,
        key_value_heads: int,
        feed_forward: int,
        vocabulary: int,
        length: int,
        tied: bool = False,
        head_size: int | None = None,
    ):
        config = LlamaConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            intermediate_size=feed_forward,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            num_key_value_heads=key_value_heads,
            head_dim=head_size,
            max_position_embeddings=length,
            tie_word_embeddings=tied,
            bos_token_id=None,
            eos_token_id=None,
        )
        self.module = LlamaForCausalLM._from_config(config, attn_implementation="sdpa")
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "llama",
            "layers": layers,
            "feed_forward_size": feed_forward,
            **rotary_decoder(config),
        }
        if head_size is not None:
            self.model["head_size"] = head_size
        self.pieces = rotary_pieces(layers, tied) | gated_pieces(layers)


def rotary_decoder(config) -> dict[str, object]:
    """What LLaMA, Mixtral and Qwen have in common."""
    return {
        "vocabulary_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "heads": config.num_attention_heads,
        "key_value_heads": config.num_key_value_heads,
        "max_positions": config.max_position_embeddings,
        "position_embedding": "rotary",
        "rope_theta": config.rope_parameters["rope_theta"],
        "normalization": "rmsnorm",
        "normalization_epsilon": config.rms_norm_eps,
        "activation": "swiglu",
        "tied_embeddings": config.tie_word_embeddings,
        "attention_bias": False,
        "attention_output_bias": False,
        "feed_forward_bias": False,
    }


def rotary_pieces(layers: int, tied: bool, bias: bool = False) -> dict[str, list[Piece]]:
    """All parameters but those of the feed-forward layers, as LLaMA, Mixtral and Qwen name them.

    bias is that of queries, keys and values.
    """
    pieces = linear("embed_tokens", "model.embed_tokens", bias=False)
    pieces |= linear("final_norm", "model.norm", bias=False)
    if not tied:
        pieces |= linear("output", "lm_head", bias=False)
    for layer in range(layers):
        ours, theirs = f"layers.{layer}", f"model.layers.{layer}"
        attention = f"{theirs}.self_attn"
        pieces |= linear(f"{ours}.attention_norm", f"{theirs}.input_layernorm", bias=False)
        pieces |= linear(
            f"{ours}.attention.qkv", *(f"{attention}.{part}_proj" for part in "qkv"), bias=bias
        )
        pieces |= linear(f"{ours}.attention.output", f"{attention}.o_proj", bias=False)
        pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.post_attention_layernorm", bias=False)
    return pieces


def gated_pieces(layers: int) -> dict[str, list[Piece]]:
    """The parameters of feed-forward layers, as LLaMA and Qwen name them."""
    pieces = {}
    for layer in range(layers):
        ours, theirs = f"layers.{layer}.feed_forward", f"model.layers.{layer}.mlp"
        pieces |= linear(f"{ours}.up", f"{theirs}.gate_proj", f"{theirs}.up_proj", bias=False)
        pieces |= linear(f"{ours}.down", f"{theirs}.down_proj", bias=False)
    return pieces
