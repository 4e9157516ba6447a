BASE=Qwen/Qwen2.5-0.5B
cat > lora.yaml <<EOF
base_model: $BASE
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
adapter: lora
lora_r: 8
lora_alpha: 16
lora_target_linear: true
sequence_len: 1024
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 1
learning_rate: 0.0002
optimizer: adamw_torch
lr_scheduler: cosine
output_dir: out
EOF

accelerate launch -m axolotl.cli.train lora.yaml
