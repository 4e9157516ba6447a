# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
import torchvision
from torch import Tensor

from .network import Batch, Network, linear

# Blocks in each stage, and convolutions in a block: arXiv 1512.03385, table 1.
SHAPES = {18: ((2, 2, 2, 2), 2), 50: ((3, 4, 6, 3), 3)}


class ResNet(Network):
    def __init__(self, depth: int, image: int, classes: int):
        blocks, convolutions = SHAPES[depth]
        self.module = getattr(torchvision.models, f"resnet{depth}")(num_classes=classes)
        self.image = image
        self.classes = classes
        self.sequence_length = 1
        self.model = {
            "family": "resnet",
            "depth": depth,
            "image_size": image,
            "channels": 3,
            "classes": classes,
        }
        self.pieces = {
            **linear("stem.convolution", "conv1", bias=False),
            **linear("stem.norm", "bn1"),
            **linear("output", "fc"),
        }
        for stage, count in enumerate(blocks):
            for block in range(count):
                ours, theirs = f"stages.{stage}.blocks.{block}", f"layer{stage + 1}.{block}"
                for i in range(1, convolutions + 1):
                    self.pieces |= linear(f"{ours}.convolution{i}", f"{theirs}.conv{i}", bias=False)
                    self.pieces |= linear(f"{ours}.norm{i}", f"{theirs}.bn{i}")
                if self.module.get_submodule(theirs).downsample is not None:
                    shortcut = f"{theirs}.downsample"
                    self.pieces |= linear(f"{ours}.shortcut.convolution", f"{shortcut}.0", bias=False)
                    self.pieces |= linear(f"{ours}.shortcut.norm", f"{shortcut}.1")

    def batch(self, samples: int) -> Batch:
        images = torch.randn(samples, 3, self.image, self.image)
        targets = torch.randint(self.classes, (samples,))
        return Batch({"images": images}, [images], targets)

    def loss(self, batch: Batch) -> Tensor:
        logits = self.module(batch.arguments["images"])
        return torch.nn.functional.cross_entropy(logits, batch.targets)
