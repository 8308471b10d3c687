#!/bin/sh
# Installs what is missing, builds tare with warnings as errors, and passes the tests twice: as
# users run it, and under AddressSanitizer and UndefinedBehaviorSanitizer. Then the kernels for 64-bit
# Arm are built and tested in an emulator. Usage: sh tools/check.sh
set -eu
cd "$(dirname "$0")/.."
. tools/deps.sh
packages="$TARE_PACKAGES libcmocka-dev binutils hdf5-tools"
# shellcheck disable=SC2086 # the list is meant to be split
tare_install $packages
# shellcheck disable=SC2086
sh tools/programs.sh . $packages

jobs=$(nproc)
check() {
  echo "== $1"
  cmake --preset "$1" -G Ninja >/dev/null
  cmake --build --preset "$1"
  ctest --preset "$1" -j "$jobs"
}

check release
check asan-ubsan
if (tare_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user); then
  check aarch64-kernels
else
  echo "== aarch64-kernels skipped: no cross compiler and emulator to be had"
fi
