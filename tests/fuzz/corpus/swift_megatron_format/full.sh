NPROC_PER_NODE=2 megatron sft --model Qwen/Qwen2.5-0.5B --dataset a --tensor_model_parallel_size 2 \
    --micro_batch_size 1 --global_batch_size 8 --recompute_granularity full --lr 1e-5
