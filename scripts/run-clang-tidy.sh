#!/usr/bin/env bash
# Usage: run-clang-tidy.sh BUILD
#
# Runs clang-tidy on the sources of app, core and ui with the compile commands of the build folder BUILD. clang cannot
# use GCC's precompiled headers, so their flags are removed first. It does not know all of GCC's warning options either.
set -euo pipefail
build=$1
commands=$(mktemp -d)
trap 'rm -rf "$commands"' EXIT
sed -e 's/ -Winvalid-pch//g' -e 's/ -include [^ ]*cmake_pch.hxx//g' "$build/compile_commands.json" >"$commands/compile_commands.json"
git ls-files 'app/*.cpp' 'core/*.cpp' 'ui/*.cpp' | xargs -P "$(nproc)" -n 4 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p "$commands"
