# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import os

import torch
from torch.nn.parallel import DistributedDataParallel
from batchpeak_trial import serve

if torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.set_default_device("cuda")
torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
layers = torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 10)
model = DistributedDataParallel(torch.nn.Sequential(*layers))
optimizer = torch.optim.AdamW(model.parameters())


def step(micro_batch_size):  # the size is that of each process
    inputs = torch.randn(micro_batch_size, 256)
    targets = torch.randint(10, (micro_batch_size,))
    loss = torch.nn.functional.cross_entropy(model(inputs), targets)
    yield  # forward has ended
    loss.backward()
    yield  # backward has ended, and processes have shared their gradients
    optimizer.step()
    optimizer.zero_grad()


serve(step, parameters=sum(p.numel() for p in model.parameters()))
torch.distributed.destroy_process_group()
