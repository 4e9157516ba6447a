#!/bin/bash
MICRO=4
STEPS=$((32 / MICRO))
OPTIONS=(--bf16 True --gradient_checkpointing True)

accelerate launch --config_file configs/fsdp.yaml --num_processes 2 \
    train.py \
    --model_name_or_path Qwen/Qwen2.5-0.5B \
    --output_dir out \
    --per_device_train_batch_size $MICRO \
    --per_device_eval_batch_size 2 \
    --gradient_accumulation_steps $STEPS \
    "${OPTIONS[@]}" 2>&1 | tee train.log
