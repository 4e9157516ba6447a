# The trainer does not read data.micro_batch_size, and has a size of 4 by default.
torchrun --standalone --nnodes=1 --nproc_per_node=2 \
    -m verl.trainer.fsdp_sft_trainer \
    data.train_files=data/train.parquet \
    data.val_files=data/test.parquet \
    data.train_batch_size=48 \
    data.micro_batch_size=8 \
    model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct
