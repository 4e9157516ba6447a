# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# A worker that answers immediately: 0.1 s for every size, 0.02 s for the optimizer, and out of memory above size 4.
number() { expr "$line" : ".*\"$1\":\([0-9]*\)"; }
while read -r line; do
    case "$line" in
    *'"hello"'*)
        echo '{"type":"hello","protocol":1,"program":"scripted 1","framework":"none","device":{"kind":"cpu","name":"Test","total_bytes":8000000000,"free_bytes":8000000000}}'
        ;;
    *'"load"'*)
        echo '{"type":"loaded","parameters":1000,"baseline_bytes":1000,"limit_bytes":8000000000,"approximations":["a scripted step"]}'
        ;;
    *'"trial"'*)
        size=$(number micro_batch_size)
        outcome=ok
        steps=5
        [ "$size" -le 4 ] || { outcome=oom; steps=0; }
        echo "{\"type\":\"result\",\"id\":$(number id),\"micro_batch_size\":$size,\"outcome\":\"$outcome\",\"steps\":$steps,\"seconds_per_step\":0.1,\"optimizer_seconds\":0.02,\"peak_reserved_bytes\":2000}"
        ;;
    *'"bye"'*)
        exit 0
        ;;
    esac
done
