#!/usr/bin/env bash
# Installs everything that building, running and testing Batchpeak needs. Safe to run again: it installs only what is
# missing, and uses the network only for that.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/torch-version.sh
. scripts/debian-packages.sh
. scripts/duration.sh

torch_version=2.11.0
# The test of the Python package builds its wheel with this.
wheel_builder=wheel==0.45.1
# The two CUDA wheels that libtorch_cpu.so is linked with; a machine without a GPU needs only these.
cpu_wheels=(nvidia-cuda-cupti==13.0.85 nvidia-cuda-runtime==13.0.96)

packages=(
  g++ cmake ninja-build ccache make git python3 python3-venv clang-format clang-tidy
  qt6-base-dev libqt6opengl6-dev qt6-charts-dev libqt6sql6-sqlite fonts-dejavu-core fonts-open-sans fonts-noto-mono fonts-comfortaa
  libeigen3-dev nlohmann-json3-dev libyaml-dev libyaml-cpp-dev libcli11-dev libmuparser-dev libxxhash-dev libpcre2-dev libtomlplusplus-dev
  xvfb xauth dbus-daemon icu-devtools
)

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# Without apt, it installs no packages: it fails if a program is missing, and lists the libraries by their Debian names.
require_tools_by_hand() {
  local missing=() tool
  for tool in g++ cmake ninja python3 git; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  [ ${#missing[@]} -eq 0 ] || fail "this system has no apt, and these programs are missing: ${missing[*]}. Install them, and the libraries that Debian calls ${packages[*]}."
  say "this system has no apt; the libraries that Debian calls ${packages[*]} are assumed to be installed."
}

has_nvidia_gpu() { [ -e /dev/nvidiactl ] || [ -e /dev/dxg ]; }

# The full set of wheels includes NCCL; the set for machines without a GPU does not.
venv_serves_this_machine() {
  local site
  site=$(echo .venv/lib/python3*/site-packages)
  [ "$(torch_version_in "$site/torch")" = "$torch_version" ] || return 1
  ! has_nvidia_gpu || [ -e "$site/nvidia/nccl" ]
}

install_torch() {
  if [ -n "${TORCH_DIR:-}" ]; then
    local version
    version=$(torch_version_in "$TORCH_DIR")
    [ "$version" = "$torch_version" ] || fail "TORCH_DIR is $TORCH_DIR, which contains torch ${version:-of an unknown version}; Batchpeak needs $torch_version. Set it to the folder of a torch $torch_version package, or unset it to install torch into .venv."
    return
  fi
  venv_serves_this_machine && return
  say "installing torch $torch_version into .venv"
  [ -x .venv/bin/pip ] || python3 -m venv --clear .venv
  if has_nvidia_gpu; then
    .venv/bin/pip install --quiet --disable-pip-version-check "torch==$torch_version"
  else
    .venv/bin/pip install --quiet --disable-pip-version-check --no-deps "torch==$torch_version" "${cpu_wheels[@]}"
  fi
}

install_wheel_builder() {
  [ -x .venv/bin/pip ] || return 0
  compgen -G '.venv/lib/python3*/site-packages/wheel' >/dev/null ||
    .venv/bin/pip install --quiet --disable-pip-version-check "$wheel_builder"
}

if command -v apt-get >/dev/null; then install_debian_packages "${packages[@]}"; else require_tools_by_hand; fi
install_torch
install_wheel_builder
say "ready in $(duration $SECONDS)"
