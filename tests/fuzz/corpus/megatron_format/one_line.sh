MBS=${1:-4}; LEN='64'
OPTS="--micro-batch-size $MBS --global-batch-size 32 --seq-length $LEN"
python pretrain_bert.py $OPTS --bf16 --num-layers=2 || exit 1
