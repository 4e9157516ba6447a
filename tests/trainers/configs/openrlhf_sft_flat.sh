BATCH=128
deepspeed --include localhost:0,1 --module openrlhf.cli.train_sft \
    --pretrain Qwen/Qwen2.5-0.5B \
    --dataset data/train \
    --max_len 2048 \
    --train_batch_size $BATCH \
    --micro_train_batch_size 8 \
    --bf16 \
    --flash_attn \
    --zero_stage 3
