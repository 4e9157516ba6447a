#!/usr/bin/env bash
# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: make-bundle.sh BUILD BUNDLE
#
# Replaces the folder BUNDLE: it contains the programs of the build folder BUILD, all that they need of this Debian or
# Ubuntu except glibc and torch, and the licenses. Runs check-bundle.sh at the end.
set -euo pipefail
scripts=$(dirname "$(readlink -f "$0")")
build=$1
bundle=$2
libraries=$bundle/lib/batchpeak
licenses=$bundle/licenses
. "$scripts/bundle-libraries.sh"

fail() { printf 'make-bundle: %s\n' "$*" >&2; exit 1; }

# Any optimized build is fast enough, since trials spend their time in torch, not in code that -O3 would speed up.
install_programs() {
  cmake --install "$build" --prefix "$bundle" --strip >/dev/null
  mkdir -p "$libraries"
  mv "$bundle/libexec/batchpeak/batchpeak-worker" "$libraries/"
  cmake --install "$build" --prefix "$bundle" --component bundle >/dev/null
}

# Prints the path of every library, except those of glibc, that the program and the plugins need, directly or not.
needed_libraries() {
  local file
  for file in "$bundle/bin/batchpeak" "$libraries"/plugins/*/*.so; do ldd "$file"; done |
    awk '$2 == "=>" { print $3 }' | sort -u |
    while read -r file; do
      is_system_library "$(basename "$file")" || echo "$file"
    done
}

copy_libraries() {
  local file folder
  for file in "${needed[@]}"; do
    folder=$libraries
    ! is_spare_library "$(basename "$file")" || folder=$libraries/spare/$(basename "$file")
    mkdir -p "$folder"
    cp --dereference "$file" "$folder/"
  done
  "$scripts/shrink-icu-data.sh" "$libraries"/libicudata.so.*
}

# Prints a line "FILE PACKAGE" for every library and plugin that was copied.
packages_of_libraries() {
  local file paths=() searched
  for file in "${needed[@]}"; do
    file=$(readlink -f "$file")
    # dpkg may list its path from before /lib became a link to /usr/lib.
    paths+=("$file" "${file#/usr}")
  done
  for file in "$libraries"/plugins/*/*.so; do paths+=("*/qt6/plugins/${file#"$libraries"/plugins/}"); done
  searched=$({ dpkg-query --search "${paths[@]}" 2>/dev/null || true; } | sed -n 's,^\([^:]*\):.*/,\1 ,p')
  for file in "${needed[@]}" "$libraries"/plugins/*/*.so; do
    awk -v file="$(basename "$(readlink -f "$file")")" -v name="$(basename "$file")" \
      '$2 == file { print name, $1; found = 1; exit } END { exit !found }' <<<"$searched" ||
      fail "no Debian package contains $file, so its license is unknown; build with the distribution's libraries."
  done
}

# copy_text TEXT NAME copies a license to the folder of licenses. If the folder has the same text, as for all libraries
# of Qt, it makes a link to that.
copy_text() {
  local other
  # The package of another library may be the same.
  [ ! -e "$licenses/$2" ] || return 0
  for other in "$licenses"/*.txt; do
    if [ ! -h "$other" ] && cmp --silent "$1" "$other"; then
      ln --symbolic --force "$(basename "$other")" "$licenses/$2"
      return
    fi
  done
  cp --dereference "$1" "$licenses/$2"
}

# Writes the licenses of the libraries, fonts and header-only libraries, and where the sources of the libraries are.
write_licenses() {
  local name package packages=(fonts-dejavu-core libcli11-dev libeigen3-dev libtomlplusplus-dev libxxhash-dev nlohmann-json3-dev) text
  mkdir -p "$licenses/common-licenses"
  cat >"$licenses/LIBRARIES.txt" <<END
Each library is from the Debian or Ubuntu source package beside it, which "apt-get source PACKAGE=VERSION" gets.
libicudata has only a part of its package's data: scripts/shrink-icu-data.sh in Batchpeak's own source selects it.
"zless PACKAGE.txt.gz" shows the licenses of a package.

END
  while read -r name package; do
    packages+=("$package")
    printf '%-30s %s\n' "$name" \
      "$(dpkg-query --show --showformat '${source:Package}=${source:Version}\n' "$package" | head -n 1)" >>"$licenses/LIBRARIES.txt"
  done
  for package in "${packages[@]}"; do
    text=/usr/share/doc/$package/copyright
    [ -e "$text" ] || fail "$text, which the bundle must contain, is missing; reinstall the package $package."
    copy_text "$text" "$package.txt"
  done
  # The copyright files refer to the common licenses, which other distributions do not have.
  grep --no-filename --only-matching --extended-regexp '/usr/share/common-licenses/[A-Z][A-Za-z]+(-[0-9.]*[0-9])?' "$licenses"/*.txt |
    sort -u | while read -r text; do
      [ -e "$text" ] || continue
      # The newest version of a license has a link without a number, too.
      cp --dereference "$(readlink -f "$text")" "$licenses/common-licenses/"
      [ ! -h "$text" ] || ln --symbolic --force "$(readlink "$text")" "$licenses/common-licenses/$(basename "$text")"
    done
  # Batchpeak's own license is one of them.
  ! cmp --silent "$bundle/LICENSE" "$licenses/common-licenses/GPL-3" ||
    ln --symbolic --force ../../LICENSE "$licenses/common-licenses/GPL-3"
  # Uncompressed, the licenses are as large as a library.
  find "$licenses" -name '*.txt' -not -name LIBRARIES.txt -type f -exec gzip --best --no-name {} +
  find "$licenses/common-licenses" -type f -exec gzip --best --no-name {} +
  find "$licenses" -type l -not -lname '*/LICENSE' | while read -r text; do
    # GPL is a link to GPL-3, which is a link itself if it is Batchpeak's license.
    [ ! -h "$(dirname "$text")/$(readlink "$text")" ] || continue
    ln --symbolic "$(readlink "$text").gz" "$text.gz"
    rm "$text"
  done
}

# newest_glibc FIND-ARGUMENT... prints the newest glibc version that any of the programs and libraries found needs.
newest_glibc() {
  find "$@" -type f -print | while read -r file; do
    ! is_elf "$file" || objdump --dynamic-syms "$file"
  done | grep --only-matching 'GLIBC_[0-9.]*' | sort --version-sort --unique | tail -n 1 | cut -d_ -f2
}

name_glibc() {
  sed -i -e "s/%GLIBC_VERSION%/$(newest_glibc "$bundle/bin" "$libraries" -not -path "$libraries/spare/*")/g" \
    -e "s/%SPARE_GLIBC_VERSION%/$(newest_glibc "$libraries/spare")/g" "$bundle/README.md" "$bundle/libexec/batchpeak/loader.sh"
}

command -v dpkg-query >/dev/null || fail "the libraries and licenses come from Debian packages; make the bundle on Debian or Ubuntu, for example in a container."
rm -rf "$bundle"
install_programs
mapfile -t needed < <(needed_libraries)
copy_libraries
packages_of_libraries | write_licenses
name_glibc
"$scripts/check-bundle.sh" "$bundle"
