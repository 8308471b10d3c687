#!/bin/sh
# Builds the Debian packages: libtare0, libtare-dev, tare and tare-mpi, and their checksums.
# Usage: sh tools/package.sh [FOLDER] (default: dist)
set -eu
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
. tools/deps.sh
# shellcheck disable=SC2086 # the list is meant to be split
tare_install $TARE_PACKAGES libopenmpi-dev binutils dpkg-dev file git

# Times and folders of the build do not get into files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
build=build/package
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTARE_TESTS=OFF \
  -DCMAKE_C_FLAGS="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$PWD/$build=build" >/dev/null
cmake --build $build
rm -f "$out"/*.deb
cpack --config $build/CPackConfig.cmake -B "$PWD/$build/packages" >$build/cpack.log || {
  cat $build/cpack.log >&2
  exit 1
}
cp $build/packages/*.deb "$out"
cd "$out"
sha256sum ./*.deb >SHA256SUMS
ls -l
