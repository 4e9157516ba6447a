#!/usr/bin/env bash
# Installs the servers that only "make test-cluster" needs: OpenSSH and Slurm. Where a system would start them as its
# own services, it installs nothing, and the tests are skipped. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian-packages.sh

say() { printf 'setup-cluster: %s\n' "$*"; }
fail() { printf 'setup-cluster: %s\n' "$*" >&2; exit 1; }

packages=(openssh-server openssh-client slurm-wlm munge iproute2)

if [ -d /run/systemd/system ] || [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  say "nothing is installed here: this takes root in a Debian container without systemd."
  exit
fi
# Services are not started by the installation, even in a container that would let them.
RUNLEVEL=1 install_debian_packages "${packages[@]}"
