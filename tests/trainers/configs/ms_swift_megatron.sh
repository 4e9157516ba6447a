NPROC_PER_NODE=8 \
megatron sft \
    --model Qwen/Qwen2.5-7B-Instruct \
    --dataset data/train.jsonl \
    --tensor_model_parallel_size 2 \
    --pipeline_model_parallel_size 2 \
    --micro_batch_size 2 \
    --global_batch_size 32 \
    --max_length 4096 \
    --output_dir output
