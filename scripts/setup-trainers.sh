#!/usr/bin/env bash
# Installs the trainers that test-trainers reads configs with, each into its own environment in .venv-trainers (1.8 GB
# in all). The environments take torch, transformers and their dependencies from .venv-parity, but a trainer's own
# packages come first, so that it can use an older transformers. The requirements files list every package, and pip
# installs no dependencies: the full sets would include GPU kernels and clients of cloud services. Safe to run again:
# it uses the network only if requirements have changed.
set -euo pipefail
cd "$(dirname "$0")/.."

parity=$(echo "$PWD"/.venv-parity/lib/python3*/site-packages)

# pip refuses wheels that require a later version of Python, even if they work.
options_for() {
  [ "$1" = megatron ] || return 0
  printf '%s\n' --ignore-requires-python --python-version 3.12 --only-binary :all:
}

install() {
  local name=$1 folder=.venv-trainers/$1 site
  printf 'setup-trainers: installing %s into %s\n' "$name" "$folder"
  python3 -m venv --clear --without-pip "$folder"
  site=$(echo "$folder"/lib/python3*/site-packages)
  # shellcheck disable=SC2046
  .venv-parity/bin/pip install --quiet --disable-pip-version-check --no-deps --no-compile --target "$site" \
    $(options_for "$name") --requirement "tests/trainers/requirements-$name.txt"
  # OLMo's tasks for evaluation: 178 MB, which no config needs.
  rm -rf "$site/olmo_data"
  printf '%s\n' "$parity" > "$site/parity.pth"
}

for requirements in tests/trainers/requirements-*.txt; do
  name=$(basename "$requirements" .txt)
  name=${name#requirements-}
  [ "$name" != common ] || continue
  installed=.venv-trainers/$name/requirements.txt
  wanted=$(cat "$requirements" tests/trainers/requirements-common.txt)
  [ "$(cat "$installed" 2>/dev/null)" != "$wanted" ] || continue
  install "$name"
  printf '%s\n' "$wanted" > "$installed"
done
