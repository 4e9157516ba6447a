M=2
cat > c.yaml <<EOF
model_name_or_path: a/b
stage: sft
per_device_train_batch_size: $M
gradient_accumulation_steps: $((8 / M))
deepspeed: $1
EOF
cat <<'EOF' > ds.json
{"train_micro_batch_size_per_gpu": "auto"}
EOF
llamafactory-cli train c.yaml
