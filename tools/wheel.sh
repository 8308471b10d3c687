#!/bin/sh
# Builds the Python package as a wheel with the library inside, which serves every Python 3.
# Usage: sh tools/wheel.sh [FOLDER] (default: dist)
set -eu
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
. tools/deps.sh
python=/usr/bin/python3 # another one in PATH has other packages
# shellcheck disable=SC2086 # the lists are meant to be split
tare_install $TARE_PACKAGES $TARE_PYTHON_PACKAGES binutils git

# Times and folders of the build do not get into files.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
build=build/wheel
cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTARE_TESTS=OFF \
  -DCMAKE_C_FLAGS="-ffile-prefix-map=$PWD=. -ffile-prefix-map=$PWD/$build=build" >/dev/null
cmake --build $build --target tare
rm -rf $build/library $build/python
cmake --install $build --component library --strip --prefix $build/library >/dev/null
sh python/package.sh "$python" cc $build/python
"$python" python/wheel.py $build/python/tare \
  "$(find $build/library -name 'libtare.so.*.*.*')" "$out"
