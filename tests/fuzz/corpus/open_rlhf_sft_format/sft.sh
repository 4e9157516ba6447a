read -r -d '' training_commands <<EOF
openrlhf.cli.train_sft \
   --max_len 256 --pretrain Qwen/Qwen2.5-0.5B \
   --train_batch_size 64 --micro_train_batch_size ${MICRO:-2} --bf16
EOF
deepspeed --num_gpus 2 --module $training_commands
