#!/bin/sh
# Installs what is missing, builds tare with warnings as errors, and passes the tests twice: as
# users run it, and under AddressSanitizer and UndefinedBehaviorSanitizer. Usage: sh tools/check.sh
set -eu
cd "$(dirname "$0")/.."
. tools/deps.sh
# shellcheck disable=SC2086 # the list is meant to be split
tare_install $TARE_PACKAGES libcmocka-dev binutils

jobs=$(nproc)
for preset in release asan-ubsan; do
  echo "== $preset"
  cmake --preset "$preset" -G Ninja >/dev/null
  cmake --build --preset "$preset"
  ctest --preset "$preset" -j "$jobs"
done
