#!/bin/bash
# Runs on "two" nodes
GPUS_PER_NODE=8
NUM_NODES=2
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes "${NUM_NODES}"
)
GPT_MODEL_ARGS=(
    --num-layers 2
    --hidden-size 64
    --num-attention-heads 4
    --seq-length 128 --max-position-embeddings 128
)
TRAINING_ARGS=(
    --micro-batch-size 1 # each
    --global-batch-size 1536
    --clip-grad 1.0 --fp16
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} \
    "${TRAINING_ARGS[@]}" --tensor-model-parallel-size 2
