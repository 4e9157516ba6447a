# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by make-bundle.sh, check-bundle.sh and make-gpu-suite.sh: which libraries they leave to the system.

# Libraries of glibc, which cannot be bundled. Libraries of X11 and OpenGL can be, and are: a server may have none.
is_system_library() {
  case $1 in
    linux-vdso.so.1 | ld-linux*.so.* | libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libresolv.so.2 | libutil.so.1) ;;
    *) return 1 ;;
  esac
}

# Libraries of torch, which only the worker needs.
is_torch_library() {
  case $1 in
    libtorch* | libc10* | libcaffe2* | libshm.so | libcu[a-z]*.so* | libnccl.so* | libnv[a-z]*.so*) ;;
    *) return 1 ;;
  esac
}

# Libraries that nearly every system has, often newer ones. The bundle's copies are used only if the system has none or
# older ones. Those of Debian 12 need a newer glibc than all other libraries of the bundle, so always using them would
# exclude systems of the year before.
is_spare_library() {
  case $1 in
    libstdc++.so.6 | libgcc_s.so.1 | libexpat.so.1) ;;
    *) return 1 ;;
  esac
}

is_elf() {
  local magic
  LC_ALL=C IFS= read -r -N 4 magic <"$1" || true
  [ "$magic" = $'\177ELF' ]
}
