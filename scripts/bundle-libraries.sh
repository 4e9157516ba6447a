# SPDX-FileCopyrightText: Batchpeak authors
# SPDX-License-Identifier: GPL-3.0-or-later
# For make-bundle.sh and check-bundle.sh to source: which libraries the bundle leaves to the system.

# glibc's own, which cannot be moved. Not X11's or OpenGL's: a server may have none, and what has no glibc of its own
# to talk to can be brought along.
is_system_library() {
  case $1 in
    linux-vdso.so.1 | ld-linux*.so.* | libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | libresolv.so.2 | libutil.so.1) ;;
    *) return 1 ;;
  esac
}

# torch's, which only the worker needs.
is_torch_library() {
  case $1 in
    libtorch* | libc10* | libcaffe2* | libshm.so | libcu[a-z]*.so* | libnccl.so* | libnv[a-z]*.so*) ;;
    *) return 1 ;;
  esac
}

# Nearly every system has these, often newer ones; the bundle's step in where there are none. Debian 12's need a newer
# glibc than all the others do, so they would needlessly shut out the systems of the year before.
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
