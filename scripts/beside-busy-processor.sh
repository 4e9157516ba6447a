#!/usr/bin/env bash
# Usage: beside-busy-processor.sh COMMAND...
#
# Runs a command while a loop keeps one processor busy, as other work on a shared computer does.
set -euo pipefail
while :; do :; done &
busy=$!
trap 'kill "$busy"' EXIT
"$@"
