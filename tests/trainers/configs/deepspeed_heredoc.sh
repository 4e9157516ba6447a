MICRO=2
cat <<EOF > ds_config.json
{
  "train_batch_size": 16,
  "train_micro_batch_size_per_gpu": $MICRO,
  "gradient_accumulation_steps": 8,
  "bf16": {"enabled": true}
}
EOF
deepspeed --num_gpus 1 train.py --deepspeed_config ds_config.json
