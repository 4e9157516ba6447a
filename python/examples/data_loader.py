# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from batchpeak_trial import serve


class Decoded(torch.utils.data.IterableDataset):
    def __iter__(self):
        while True:
            # Stands for reading and decoding a sample, which takes longer than training on it.
            yield torch.randn(256, 256).matmul(torch.randn(256, 256)).sum(1), 7


device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(256, 10).to(device)
optimizer = torch.optim.AdamW(model.parameters())
batches, size_of_batches = None, 0


def load_batches_of(size):
    global batches, size_of_batches
    if size == size_of_batches:
        return
    # End the workers of the previous size first: batches that they have ready would make this size look faster.
    batches, size_of_batches = None, size
    if size > 0:
        batches = iter(torch.utils.data.DataLoader(Decoded(), size, num_workers=2))


def step(micro_batch_size):
    inputs, targets = next(batches)
    logits = model(inputs.to(device))
    loss = torch.nn.functional.cross_entropy(logits, targets.to(device))
    yield  # loading and forward have ended
    loss.backward()
    yield  # backward has ended
    optimizer.step()
    optimizer.zero_grad()


def recover():
    load_batches_of(0)
    optimizer.zero_grad()


serve(
    step,
    recover=recover,
    prepare=load_batches_of,
    parameters=sum(p.numel() for p in model.parameters()),
)
