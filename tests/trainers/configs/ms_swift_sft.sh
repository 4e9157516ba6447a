# Four processes, and no accumulation: ms-swift computes it from a batch of 16.
MODEL=Qwen/Qwen2.5-0.5B-Instruct

NPROC_PER_NODE=4 CUDA_VISIBLE_DEVICES=0,1,2,3 \
swift sft \
    --model $MODEL \
    --dataset data/train.jsonl \
    --tuner_type lora \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 2 \
    --per_device_eval_batch_size 1 \
    --max_length 2048 \
    --output_dir output
