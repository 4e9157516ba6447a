#!/usr/bin/env bash
# Installs the YAML readers that configs are read with after a size was written into them into .venv-readers
# (1 MB). Safe to run again: nothing is asked of the network where it is all there.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=tests/readers/requirements.txt
installed=.venv-readers/requirements.txt

cmp --silent "$requirements" "$installed" && exit
printf 'setup-readers: installing %s into .venv-readers\n' "$(grep -v '^#' "$requirements" | tr '\n' ' ')"
[ -x .venv-readers/bin/pip ] || python3 -m venv --clear .venv-readers
.venv-readers/bin/pip install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$installed"
