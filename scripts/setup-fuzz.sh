#!/usr/bin/env bash
# Installs clang with libFuzzer, which only "make fuzz" needs. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/debian-packages.sh

say() { printf 'setup-fuzz: %s\n' "$*"; }
fail() { printf 'setup-fuzz: %s\n' "$*" >&2; exit 1; }

has_libfuzzer() {
  printf 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null 2>/dev/null
}

has_libfuzzer && exit
command -v apt-get >/dev/null || fail "clang++ with -fsanitize=fuzzer is missing; install clang and its compiler-rt."
# clang's package only recommends its runtime libraries, and their package name contains the version.
install_debian_packages clang
version=$(clang++ -dumpversion | cut -d. -f1)
has_libfuzzer || install_debian_packages "libclang-rt-$version-dev"
has_libfuzzer || fail "clang++ cannot link a program with -fsanitize=fuzzer; install the compiler-rt of this clang."
