#!/usr/bin/env bash
# Installs what the examples in python/examples need beside the packages of .venv-parity into .venv-examples: JAX and
# Lightning (600 MB). Safe to run again: nothing is asked of the network where it is all there.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=tests/python/requirements.txt
installed=.venv-examples/requirements.txt

cmp --silent "$requirements" "$installed" && exit
printf 'setup-examples: installing %s into .venv-examples\n' "$(grep -v '^#' "$requirements" | tr '\n' ' ')"
[ -x .venv-examples/bin/pip ] || python3 -m venv --clear .venv-examples
# Lightning needs torch, and that draws 5 GB of CUDA. Here it is that of .venv-parity, which pip finds by this file as well.
packages() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
packages .venv-parity > "$(packages .venv-examples)/parity.pth"
.venv-examples/bin/pip install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$installed"
