#!/bin/sh
# Builds the Debian packages: libtare0, libtare-dev, tare, tare-mpi and python3-tare, with their bill of materials and
# checksums.
# Usage: sh tools/package.sh [FOLDER] (default: dist)
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 1 "$@"
umask 022 # modes get into the packages
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
. tools/deps.sh
# shellcheck disable=SC2086 # the lists are meant to be split
tare_install $TARE_PACKAGES $TARE_PYTHON_PACKAGES libopenmpi-dev binutils dpkg-dev file git jq

. tools/release.sh
tare_release
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
