#!/usr/bin/env bash
# Usage: beside-busy-processor.sh COMMAND...
#
# Runs a command while a loop keeps one CPU core busy, as other programs on a shared computer do.
set -euo pipefail
while :; do :; done &
busy=$!
trap 'kill "$busy"' EXIT
"$@"
