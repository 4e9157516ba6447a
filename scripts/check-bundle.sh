#!/usr/bin/env bash
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-bundle.sh BUNDLE
#
# Fails and prints why, unless the bundle is small, contains every library that it needs except those of glibc and
# torch, contains no library of torch, and has no rpath to a folder of the computer that it was made on.
set -euo pipefail
bundle=$1
# Of that, 4 MiB are Qt Network, which fetches the description of a network, with the libraries of Kerberos and proxies
# that Debian builds it with.
largest=$((64 * 1024 * 1024))
. "$(dirname "$(readlink -f "$0")")/bundle-libraries.sh"

problems=0
complain() { printf 'check-bundle: %s\n' "$*" >&2; problems=$((problems + 1)); }

mapfile -t files < <(find "$bundle" -type f)
declare -A brought
for file in "${files[@]}"; do brought[$(basename "$file")]=$file; done

check_needs() {
  local file=$1 name
  while read -r name; do
    if is_torch_library "$name"; then
      [ "$(basename "$file")" = batchpeak-worker ] || complain "$file needs $name, but only the worker may need torch."
    elif ! is_system_library "$name" && [ -z "${brought[$name]:-}" ]; then
      complain "$file needs $name, which is neither in the bundle nor a system library; copy it into lib/batchpeak."
    fi
  done
}

for file in "${files[@]}"; do
  is_elf "$file" || continue
  ! is_torch_library "$(basename "$file")" || complain "$file is a library of torch, which the bundle must leave to the user."
  dynamic=$(readelf --dynamic --wide "$file")
  check_needs "$file" < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$dynamic")
  while read -r name; do
    [[ $name == '$ORIGIN'* ]] || complain "$file looks for libraries in $name, a folder of the computer that it was made on; remove that from its rpath."
  done < <(sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]/\2/p' <<<"$dynamic" | tr ':' '\n')
done

bytes=$(du --summarize --bytes "$bundle" | cut -f1)
[ "$bytes" -lt "$largest" ] || complain "$bundle has $bytes bytes, more than the $largest that it may have; leave something out."

[ "$problems" -eq 0 ] || exit 1
printf '%s: %d files, %s MiB\n' "$bundle" "${#files[@]}" "$(awk "BEGIN { printf \"%.1f\", $bytes / 1048576 }")"
