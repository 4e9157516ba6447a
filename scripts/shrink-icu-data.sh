#!/usr/bin/env bash
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: shrink-icu-data.sh LIBRARY
#
# Makes a small libicudata.so.N of a whole one, in place. ICU's data is 30 MB, most of it in languages and encodings
# that nothing here asks for, and the names of all characters: Qt has tables of its own for numbers and dates. What remains
# is what is common to all languages, the order of sorting among it; ICU falls back to that.
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
# icupkg sees by the name that the order of bytes is little-endian (l), and by .txt that a file is a list.
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
