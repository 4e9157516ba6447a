ENTRY="-m verl.trainer.sft_trainer"
torchrun --nproc_per_node=8 $ENTRY \
    data.train_batch_size=64 data.use_dynamic_bsz=False data.micro_batch_size_per_gpu=4 \
    model.path=Qwen/Qwen2.5-0.5B engine=fsdp engine.ulysses_sequence_parallel_size=2
