@echo off
set MICRO=2
rem --per_device_train_batch_size 9
python train.py ^
  --per_device_train_batch_size %MICRO% ^
  --bf16
