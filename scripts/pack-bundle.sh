#!/usr/bin/env bash
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: pack-bundle.sh BUILD FOLDER
#
# Makes the portable bundle of the build folder BUILD, and its archive, in FOLDER. Their names contain the version and
# the architecture.
set -euo pipefail
build=$1
folder=$2
name=$("$build/bin/batchpeak" --version | tr ' ' -)-linux-$(uname -m)
"$(dirname "$0")/make-bundle.sh" "$build" "$folder/$name"
tar --create --gzip --owner=0 --group=0 --numeric-owner --directory="$folder" --file="$folder/$name.tar.gz" "$name"
printf '%s: %s MiB\n' "$folder/$name.tar.gz" "$(du --block-size=1M "$folder/$name.tar.gz" | cut -f1)"
