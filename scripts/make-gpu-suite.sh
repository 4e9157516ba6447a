#!/usr/bin/env bash
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: make-gpu-suite.sh BUILD SUITE
#
# Replaces the folder SUITE: it contains the GPU tests and the worker of the build folder BUILD, the libraries that they
# need except glibc and torch, and the scripts that run them. It can be copied to a computer that has a GPU and torch;
# nothing else needs to be installed there.
set -euo pipefail
scripts=$(dirname "$(readlink -f "$0")")
build=$1
suite=$2
. "$scripts/bundle-libraries.sh"

rm -rf "$suite"
mkdir -p "$suite/lib"
cp "$build"/tests/tst_gpu_* "$build/bin/batchpeak-worker" "$suite/"
cp "$scripts"/{run-gpu-suite,gpu-suite-libraries,gpu-first-look}.sh "$scripts/../tests/gpu/first_look.py" "$suite/"
ldd "$suite"/tst_gpu_* "$suite/batchpeak-worker" | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u |
  while read -r file; do
    name=$(basename "$file")
    # torch has its libraries in its own folder. The compiler's libraries are new enough on any system that runs torch.
    is_system_library "$name" || is_torch_library "$name" || is_spare_library "$name" || [[ $file == */nvidia/* ]] ||
      cp --dereference "$file" "$suite/lib/"
  done
"$scripts/shrink-icu-data.sh" "$suite"/lib/libicudata.so.*
strip "$suite"/tst_gpu_* "$suite/batchpeak-worker"
printf '%s: %s MiB\n' "$suite" "$(du --summarize --block-size=1M "$suite" | cut -f1)"
