# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from batchpeak_trial import serve

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Sequential(
    torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 10)
).to(device)
optimizer = torch.optim.AdamW(model.parameters())


def step(micro_batch_size):
    inputs = torch.randn(micro_batch_size, 256, device=device)
    targets = torch.randint(10, (micro_batch_size,), device=device)
    loss = torch.nn.functional.cross_entropy(model(inputs), targets)
    yield  # forward has ended
    loss.backward()
    yield  # backward has ended
    optimizer.step()
    optimizer.zero_grad()


serve(
    step,
    recover=optimizer.zero_grad,
    parameters=sum(p.numel() for p in model.parameters()),
)
