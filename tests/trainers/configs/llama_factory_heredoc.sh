#!/bin/bash
SIZE=4
mkdir -p configs
cat > configs/sft.yaml <<EOF
model_name_or_path: Qwen/Qwen2.5-0.5B-Instruct
stage: sft
do_train: true
finetuning_type: lora
dataset: alpaca_en_demo
template: qwen
output_dir: saves/lora
per_device_train_batch_size: $SIZE
gradient_accumulation_steps: 2
bf16: true
EOF
llamafactory-cli train configs/sft.yaml > train.log 2>&1
