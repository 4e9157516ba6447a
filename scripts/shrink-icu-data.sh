#!/usr/bin/env bash
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: shrink-icu-data.sh LIBRARY
#
# Replaces a libicudata.so.N by a smaller one. ICU's data is 30 MB: mostly languages, encodings and character names that
# Batchpeak does not use. Qt has its own tables for numbers and dates. The smaller library keeps the root data of all
# languages, including collation; ICU falls back to it.
set -euo pipefail
library=$1
name=$(basename "$library")
version=${name##*.}
symbol=icudt${version}_dat
kept=(
  '[a-z0-9_]+\.nrm'
  '(cnvalias|uemoji|ulayout)\.icu'
  '(root|pool|res_index|supplementalData|likelySubtags|metadata|keyTypeData|numberingSystems|timezoneTypes|zoneinfo64)\.res'
  'coll/((root|res_index)\.res|ucadata\.icu)'
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# icupkg takes the byte order from the name (l: little-endian), and recognizes a list by its extension .txt.
data=$work/icudt${version}l.dat
small=$work/small/$(basename "$data")
mkdir "$work/small"

objcopy --output-target binary --only-section .rodata "$library" "$data"
icupkg --list "$data" | grep -vxE "$(IFS='|'; echo "${kept[*]}")" >"$work/unused.txt"
icupkg --remove "$work/unused.txt" "$data" "$small"

cat >"$work/data.s" <<END
.section .rodata
.globl $symbol
.type $symbol, @object
.balign 16
$symbol: .incbin "$small"
.size $symbol, . - $symbol
.section .note.GNU-stack, "", @progbits
END
g++ -shared -nostdlib -Wl,-soname,"$name" -o "$library" "$work/data.s"
