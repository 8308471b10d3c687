#!/bin/sh
# Builds the Debian packages: libtare0, libtare-dev, tare, tare-mpi and python3-tare, with their bill of materials and
# checksums.
# Usage: sh tools/package.sh [FOLDER] (default: dist)
set -eu
umask 022 # modes get into the packages
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
. tools/deps.sh
# shellcheck disable=SC2086 # the lists are meant to be split
tare_install $TARE_PACKAGES $TARE_PYTHON_PACKAGES libopenmpi-dev binutils dpkg-dev file git jq

# Times and folders of the build do not get into files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
build=build/package
# Symbols for debuggers are for the check of the ABI; packages have none.
flags="-g -ffile-prefix-map=$PWD/$build=build -ffile-prefix-map=$PWD=."
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTARE_TESTS=OFF \
  -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" ${TARE_PACKAGE_CONTACT:+"-DTARE_PACKAGE_CONTACT=$TARE_PACKAGE_CONTACT"} \
  >/dev/null
cmake --build $build
rm -f "$out"/*.deb "$out"/*.cdx.json "$out"/SHA256SUMS*
rm -rf $build/packages
cpack --config $build/CPackConfig.cmake -B "$PWD/$build/packages" >$build/cpack.log || {
  cat $build/cpack.log >&2
  exit 1
}
cp $build/packages/*.deb "$out"
sh tools/sbom.sh "$out"/*.deb >"$out/tare.cdx.json"
cd "$out"
sha256sum ./*.deb ./*.cdx.json | sed 's#  \./#  #' >SHA256SUMS
ls -l
