set -x
torchrun --nnodes=1 --nproc_per_node=${2:-4} -m verl.trainer.fsdp_sft_trainer \
    data.train_batch_size=64 \
    +data.micro_batch_size_per_gpu=4 \
    'model.target_modules=[q_proj,v_proj]' model.lora_rank=8 \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B optim.lr=1e-5 $@
