#!/usr/bin/env bash
# clang-tidy over our own sources, with the compile commands of the build folder given. Precompiled
# headers are GCC's and of no use to clang, so their flags are taken out first; nor does it know all of GCC's warnings.
set -euo pipefail
build=$1
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -e 's/ -Winvalid-pch//g' -e 's/ -include [^ ]*cmake_pch.hxx//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
git ls-files 'app/*.cpp' 'core/*.cpp' 'ui/*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$commands"
