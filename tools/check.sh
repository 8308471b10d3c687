#!/bin/sh
# Installs what is missing, builds tare with warnings as errors, and passes the tests twice: as
# users run it, and under AddressSanitizer and UndefinedBehaviorSanitizer. Then the kernels for 64-bit
# Arm are built and tested in an emulator. Usage: sh tools/check.sh [--peers]
# With --peers models that are written for ONNX Runtime are also run in it; its library is fetched
# from the npm registry, and these tests are skipped where the registry cannot be reached.
set -eu
. "$(dirname "$0")/usage.sh"
[ "$*" = --peers ] || tare_takes 0 "$@"
cd "$(dirname "$0")/.."
. tools/deps.sh
packages="$TARE_PACKAGES $TARE_PYTHON_PACKAGES libcmocka-dev binutils hdf5-tools openmpi-bin libopenmpi-dev ca-certificates curl dpkg-dev file git jq mold
abigail-tools pandoc mandoc doxygen minisign"
# shellcheck disable=SC2086 # the list is meant to be split
tare_install $packages
# shellcheck disable=SC2086
sh tools/programs.sh . $packages debootstrap qemu-user # these are for scripts that are run by hand

cores=$(nproc)
jobs=$(((cores * 3 + 1) / 2)) # some tests wait: for processes that start, and for such as are killed
check() { # PRESET ARGUMENT...: with arguments for ctest
  preset=$1
  shift
  echo "== $preset"
  cmake --preset "$preset" -G Ninja >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset" -j "$jobs" "$@"
}

if [ "${1:-}" = --peers ]; then
  if library=$(sh tools/peers.sh build/peers); then
    export TARE_ONNXRUNTIME="$PWD/$library"
  else
    echo "== peers skipped: ONNX Runtime cannot be fetched"
  fi
fi
check release -E '^(fault|ends)\.' # failures at every point are for the sanitizers, which see more
unset TARE_ONNXRUNTIME # the library and the sanitizers do not know each other
# Not those that start no program of tare, nor the tutorials, whose commands other tests give with less data.
check asan-ubsan -E '^(structure.*|site|install\.sign|cli\.(tutorials|doc_paths|manual|programs|exported_symbols)|header\..*)$'
if (tare_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user); then
  check aarch64-kernels
else
  echo "== aarch64-kernels skipped: no cross compiler and emulator to be had"
fi
