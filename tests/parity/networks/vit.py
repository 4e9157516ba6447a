# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from transformers import ViTConfig, ViTForImageClassification

from .network import Batch, Network, Piece, linear


class ViT(Network):
    def __init__(
        self, layers: int, width: int, heads: int, feed_forward: int, image: int, patch: int, classes: int
    ):
        config = ViTConfig(
            hidden_size=width,
            num_hidden_layers=layers,
            num_attention_heads=heads,
            intermediate_size=feed_forward,
            image_size=image,
            patch_size=patch,
            num_labels=classes,
        )
        self.module = ViTForImageClassification._from_config(config, attn_implementation="sdpa")
        self.image_shape = (config.num_channels, image, image)
        self.classes = classes
        self.sequence_length = (image // patch) ** 2 + 1
        self.model = {
            "family": "vit",
            "image_size": image,
            "patch_size": patch,
            "channels": config.num_channels,
            "hidden_size": width,
            "layers": layers,
            "heads": heads,
            "feed_forward_size": feed_forward,
            "classes": classes,
            "activation": "gelu",
            "normalization_epsilon": config.layer_norm_eps,
        }
        embeddings = "vit.embeddings"
        self.pieces = {
            "class_token": [Piece(f"{embeddings}.cls_token")],
            "embed_positions.weight": [
                Piece(f"{embeddings}.position_embeddings", lambda theirs: theirs.flatten(0, 1))
            ],
            **linear("patches", f"{embeddings}.patch_embeddings.projection"),
            **linear("final_norm", "vit.layernorm"),
            **linear("output", "classifier"),
        }
        for layer in range(layers):
            ours, theirs = f"layers.{layer}", f"vit.layers.{layer}"
            attention = f"{theirs}.attention"
            self.pieces |= linear(f"{ours}.attention_norm", f"{theirs}.layernorm_before")
            self.pieces |= linear(f"{ours}.attention.qkv", *(f"{attention}.{part}_proj" for part in "qkv"))
            self.pieces |= linear(f"{ours}.attention.output", f"{attention}.o_proj")
            self.pieces |= linear(f"{ours}.feed_forward_norm", f"{theirs}.layernorm_after")
            self.pieces |= linear(f"{ours}.feed_forward.up", f"{theirs}.mlp.fc1")
            self.pieces |= linear(f"{ours}.feed_forward.down", f"{theirs}.mlp.fc2")

    def batch(self, samples: int) -> Batch:
        images = torch.randn(samples, *self.image_shape)
        targets = torch.randint(self.classes, (samples,))
        return Batch({"pixel_values": images, "labels": targets}, [images], targets)
