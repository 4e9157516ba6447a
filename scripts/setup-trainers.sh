#!/usr/bin/env bash
# Installs the trainers that configs are read with after a size was written into them, each into an environment of its
# own below .venv-trainers (1.7 GB in all). Torch, transformers and what they need are those of .venv-parity: a
# trainer's own packages come before them, so that one that wants an older transformers has it. Packages are named one
# by one and draw in nothing, since the full sets would bring kernels for GPUs and clients of clouds. Safe to run
# again: nothing is asked of the network where it is all there.
set -euo pipefail
cd "$(dirname "$0")/.."

parity=$(echo "$PWD"/.venv-parity/lib/python3*/site-packages)

# pip holds back wheels for later versions of Python, also where they run.
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
