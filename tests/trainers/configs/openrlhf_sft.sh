read -r -d '' words <<EOF
openrlhf.cli.train_sft \
   --model.model_name_or_path Qwen/Qwen2.5-0.5B \
   --data.dataset data/train \
   --data.max_len 2048 \
   --train.batch_size 64 \
   --train.micro_batch_size 4 \
   --ds.zero_stage 2 \
   --ds.packing_samples
EOF

deepspeed --num_gpus 4 --module $words
