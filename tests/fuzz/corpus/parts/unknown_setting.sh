MASTER.infD=${X}
    data.micro_batch_size_per_gpu=4 
