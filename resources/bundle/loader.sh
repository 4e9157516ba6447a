# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the bundle's start scripts, with the bundle's folder in $bundle: checks whether this system can load a
# program.

# Prints a line for each library, or version of one, that the system's loader does not find for a program.
not_found_for() {
  LD_TRACE_LOADED_OBJECTS=1 "$1" 2>&1 | grep -e 'not found' -e 'No such file' || true
}

# lib/batchpeak/spare has a folder for each library that is taken from the system if it has a new enough one. A process
# has only one libstdc++, and libraries of the system that torch loads may need a newer one than the bundle's.
use_spare_libraries_for() {
  for folder in "$bundle"/lib/batchpeak/spare/*; do
    case $1 in
      *"${folder##*/}"*) export LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
    esac
  done
}

why_not_loaded() {
  names=$(printf '%s\n' "$1" | sed -n -e 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p' -e 's,.*/\([^/:]*\): version .*,\1,p' | sort -u)
  system=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo 'no glibc')
  case $names in
    '' | *libc.so.6*) echo "This system has $system, but these programs need glibc %GLIBC_VERSION% or later; use a newer system or container, or make the bundle on a system as old as this one." ;;
    *) echo "These libraries are missing on this system or too old: $(echo $names). Ask for them to be installed, or put their folder into LD_LIBRARY_PATH." ;;
  esac
}

# Sets $problem to a sentence that says why the program cannot be loaded; empty if it can.
prepare_to_load() {
  problem=
  lost=$(not_found_for "$1")
  [ -n "$lost" ] || return 0
  use_spare_libraries_for "$lost"
  lost=$(not_found_for "$1")
  [ -z "$lost" ] || problem=$(why_not_loaded "$lost")
}
