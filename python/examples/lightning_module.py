# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import lightning
import torch
from batchpeak_trial import serve


class Classifier(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 10)
        )

    def training_step(self, batch, batch_idx):
        inputs, targets = batch
        return torch.nn.functional.cross_entropy(self.layers(inputs), targets)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters())


# Use the strategy and precision of your Trainer. A Trainer cannot run a single step, so Fabric does.
fabric = lightning.Fabric(accelerator="auto", devices=1, precision="32-true")
fabric.launch()
classifier = Classifier()
module, optimizer = fabric.setup(classifier, classifier.configure_optimizers())
module.mark_forward_method("training_step")


def step(micro_batch_size):
    inputs = torch.randn(micro_batch_size, 256, device=fabric.device)
    targets = torch.randint(10, (micro_batch_size,), device=fabric.device)
    loss = module.training_step((inputs, targets), 0)
    yield  # forward has ended
    fabric.backward(loss)
    yield  # backward has ended
    optimizer.step()
    optimizer.zero_grad()


serve(
    step,
    recover=optimizer.zero_grad,
    parameters=sum(p.numel() for p in module.parameters()),
)
