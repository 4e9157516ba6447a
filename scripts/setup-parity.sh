#!/usr/bin/env bash
# Installs what our networks are compared with, in numbers, in bytes and in time, into .venv-parity: the whole torch
# wheel set, torchvision, transformers, PEFT, trl, bitsandbytes and torchao (5 GB). Safe to run again: nothing is asked
# of the network where it is all there.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=tests/parity/requirements.txt
installed=.venv-parity/requirements.txt

cmp --silent "$requirements" "$installed" && exit
printf 'setup-parity: installing %s into .venv-parity\n' "$(grep -v '^#' "$requirements" | tr '\n' ' ')"
[ -x .venv-parity/bin/pip ] || python3 -m venv --clear .venv-parity
.venv-parity/bin/pip install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$installed"
