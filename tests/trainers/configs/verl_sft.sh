#!/usr/bin/env bash
set -euo pipefail
DATA=$HOME/data/math

torchrun --standalone --nnodes=1 --nproc_per_node=4 \
    -m verl.trainer.fsdp_sft_trainer \
    data.train_files="$DATA/train.parquet" \
    data.val_files="$DATA/test.parquet" \
    data.train_batch_size=96 \
    data.micro_batch_size_per_gpu=4 \
    data.max_length=1024 \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct \
    trainer.total_epochs=1 \
    "$@"
