NPROC_PER_NODE=2 \
swift sft \
    --model Qwen/Qwen2.5-0.5B --train_type lora --lora_rank 8 --target_modules all-linear \
    --dataset 'a#500' 'b#500' \
    --per_device_train_batch_size 1 --per_device_eval_batch_size 1 \
    --gradient_accumulation_steps $(expr 16 / 2) --max_length 256
