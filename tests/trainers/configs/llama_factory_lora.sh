export CUDA_VISIBLE_DEVICES=0

llamafactory-cli train \
    --stage sft \
    --do_train \
    --model_name_or_path Qwen/Qwen2.5-0.5B-Instruct \
    --dataset alpaca_en_demo \
    --template qwen \
    --finetuning_type lora \
    --output_dir saves/lora \
    --cutoff_len 1024 \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 8 \
    --bf16
