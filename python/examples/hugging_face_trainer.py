# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from batchpeak_trial import serve

shape = {"vocab_size": 512, "n_positions": 64, "n_embd": 64, "n_layer": 2, "n_head": 2}
config = GPT2Config(**shape, bos_token_id=0, eos_token_id=0)
trainer = Trainer(GPT2LMHeadModel(config), TrainingArguments(report_to="none"))

# train() does the same before its first step.
trainer.create_optimizer()
model, trainer.optimizer = trainer.accelerator.prepare(trainer.model, trainer.optimizer)


def step(micro_batch_size, accumulation_steps):
    trainer.current_gradient_accumulation_steps = accumulation_steps
    tokens = torch.randint(config.vocab_size, (micro_batch_size, 64))
    trainer.training_step(model, {"input_ids": tokens, "labels": tokens})
    yield "backward"  # forward and backward are one call
    trainer.accelerator.clip_grad_norm_(model.parameters(), trainer.args.max_grad_norm)
    trainer.optimizer.step()
    trainer.optimizer.zero_grad()


serve(
    step,
    recover=trainer.optimizer.zero_grad,
    parameters=trainer.model.num_parameters(),
)
