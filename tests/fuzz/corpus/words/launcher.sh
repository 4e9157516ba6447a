srun --ntasks=1 bash -c "exec 'a b' $(( N + 1 ))" ${NAME:-default} # comment
ARGS=(--micro-batch-size 4 "--bf16")
