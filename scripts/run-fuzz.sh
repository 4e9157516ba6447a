#!/usr/bin/env bash
# Usage: run-fuzz.sh BUILD SECONDS [TARGET...]
#
# Runs each fuzz target for SECONDS, two at a time. The corpora stay in the build folder BUILD, so that a later run
# continues from there. Fails if there is a finding.
set -euo pipefail
cd "$(dirname "$0")/.."

programs=$1/fuzz
seconds=$2
shift 2
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(basename --multiple "$programs"/fuzz_* | sed 's/^fuzz_//')

run_target() {
  local target=$1 folder=$programs/work/$1
  if [ ! -x "$programs/fuzz_$target" ]; then
    echo "There is no target $target in $programs."
    return 1
  fi
  mkdir -p "$folder/corpus" "$folder/findings"
  nice -n 10 "$programs/fuzz_$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -dict=tests/fuzz/config.dict -artifact_prefix="$folder/findings/" -print_final_stats=1 \
    "$folder/corpus" "tests/fuzz/corpus/$target" >"$folder/log" 2>&1 && local status=0 || local status=$?
  local executions
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/log")
  printf '%-32s %12s executions  %s\n' "$target" "${executions:-?}" \
    "$([ "$status" -eq 0 ] && echo 'no finding' || echo "FINDING, see $folder/log and $folder/findings")"
  return "$status"
}
export -f run_target
export programs seconds


printf '%s\n' "${targets[@]}" | xargs --max-procs=2 --replace={} bash -c 'run_target {}'
