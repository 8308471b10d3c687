#!/bin/sh
# Builds the Python package as a wheel with the library inside, which serves every Python 3.
# Usage: sh tools/wheel.sh [FOLDER] (default: dist)
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 1 "$@"
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
. tools/deps.sh
python=/usr/bin/python3 # another one in PATH has other packages
# shellcheck disable=SC2086 # the lists are meant to be split
tare_install $TARE_PACKAGES $TARE_PYTHON_PACKAGES binutils git

. tools/release.sh
tare_release --target tare
rm -rf $build/library $build/wheel
cmake --install $build --component library --strip --prefix $build/library >/dev/null
sh python/package.sh "$python" cc $build/wheel
"$python" python/wheel.py $build/wheel/tare \
  "$(find $build/library -name 'libtare.so.*.*.*')" "$out"
