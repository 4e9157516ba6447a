#!/bin/bash
# Eight devices in two nodes; four of them share the batch.
DISTRIBUTED_ARGS=(
    --nproc_per_node 4
    --nnodes 2
)
GPT_MODEL_ARGS=(
    --num-layers 4
    --hidden-size 256
    --num-attention-heads 4
    --seq-length 128
    --max-position-embeddings 128
)
TRAINING_ARGS=(
    --micro-batch-size 2
    --global-batch-size 64
    --train-iters 100
    --lr 6.0e-5
    --bf16
)
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size 2
)
DATA_ARGS=(
    --mock-data
    --tokenizer-type NullTokenizer
    --vocab-size 1000
)

torchrun "${DISTRIBUTED_ARGS[@]}" pretrain_gpt.py \
    "${GPT_MODEL_ARGS[@]}" \
    "${TRAINING_ARGS[@]}" \
    "${MODEL_PARALLEL_ARGS[@]}" \
    "${DATA_ARGS[@]}"
