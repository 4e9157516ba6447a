#!/usr/bin/env bash
# Installs the packages of a requirements file into .venv-NAME. What these need and another environment has, is taken
# from there. Safe to run again: nothing is asked of the network where it is all there.
# Usage: setup-venv.sh NAME REQUIREMENTS [NAME-OF-THE-OTHER]
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
# pip finds them by this file as well.
[ -z "$other" ] || packages "$other" > "$(packages "$venv")/${other#.venv-}.pth"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
cp "$requirements" "$installed"
