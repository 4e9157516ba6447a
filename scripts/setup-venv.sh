#!/usr/bin/env bash
# Usage: setup-venv.sh NAME REQUIREMENTS [OTHER]
#
# Installs the packages of a requirements file into .venv-NAME. Dependencies that .venv-OTHER has are taken from there.
# Safe to run again: it uses the network only if REQUIREMENTS has changed.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-$1
requirements=$2
other=${3:+.venv-$3}
installed=$venv/requirements.txt

packages() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }

cmp --silent "$requirements" "$installed" && exit
printf 'setup-%s: installing %s into %s\n' "$1" "$(grep -v '^#' "$requirements" | tr '\n' ' ')" "$venv"
[ -x "$venv/bin/pip" ] || python3 -m venv --clear "$venv"
# Through this file, both Python and pip find the packages of the other environment.
[ -z "$other" ] || packages "$other" > "$(packages "$venv")/${other#.venv-}.pth"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$installed"
