# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
from transformers import BloomConfig, BloomForCausalLM

from .causal import CausalNetwork
from .network import Piece, linear, of_every_head


class Bloom(CausalNetwork):
    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, length: int):
        config = BloomConfig(
            vocab_size=vocabulary,
            hidden_size=width,
            n_layer=layers,
            n_head=heads,
            bos_token_id=None,
            eos_token_id=None,
        )
        # transformers has only BLOOM's own attention for it.
        self.module = BloomForCausalLM._from_config(config)
        self.vocabulary = vocabulary
        self.sequence_length = length
        self.model = {
            "family": "bloom",
            "vocabulary_size": vocabulary,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "key_value_heads": heads,
            "feed_forward_size": 4 * width,
            "max_positions": length,
            "position_embedding": "alibi",
            "embedding_normalization": True,
            "normalization": "layernorm",
            "normalization_epsilon": config.layer_norm_epsilon,
            "activation": "bloom_gelu",
            "tied_embeddings": True,
        }
        self.pieces = {
            "embed_tokens.weight": [Piece("transformer.word_embeddings.weight")],
            **linear("embed_norm", "transformer.word_embeddings_layernorm"),
            **linear("final_norm", "transformer.ln_f"),
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"transformer.h.{layer}"
            attention = f"{theirs}.self_attention"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.input_layernorm")
            for kind in ("weight", "bias"):
                self.pieces[f"{ours}.attention.qkv.{kind}"] = [
                    Piece(f"{attention}.query_key_value.{kind}", of_every_head(heads, part))
                    for part in range(3)
                ]
            self.pieces |= linear(f"{ours}.attention.output", f"{attention}.dense")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.post_attention_layernorm")
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.mlp.dense_h_to_4h")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.mlp.dense_4h_to_h")
