deepspeed --include localhost:0,1 --module openrlhf.cli.train_sft --model.model_name_or_path a/b --train.batch_size 64 --train.micro_batch_size 2
