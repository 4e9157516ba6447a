#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:4
MICRO=${1:-2}
ARGS=(--per_device_train_batch_size $MICRO # each
      --gradient_accumulation_steps $((32 / MICRO)))
ARGS+=(--bf16)
for SEED in 1 2; do
  srun torchrun --nnodes $SLURM_NNODES --nproc_per_node $SLURM_GPUS_ON_NODE train.py "${ARGS[@]}" --seed $SEED \ 
    --max_length 64
done
