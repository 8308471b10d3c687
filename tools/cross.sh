#!/bin/sh
# Builds the library and the command for 64-bit Arm, and calibrates, builds and runs plans with them in an emulator: the
# files must have the bytes that the build for this machine writes, if there is one.
# Usage: sh tools/cross.sh [TARE]  (TARE: the command of this machine, default build/release/tools/tare)
# Needs gcc-aarch64-linux-gnu and qemu-user, which it installs. The libraries for Arm are fetched from Debian's archive into
# build/aarch64/root; the packages of this machine stay as they are.
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 1 "$@"
cd "$(dirname "$0")/.."
. tools/deps.sh
native=${1:-build/release/tools/tare}
case $native in /*) ;; *) native=$PWD/$native ;; esac
# shellcheck disable=SC2086 # the list is meant to be split
tare_install $TARE_CROSS_PACKAGES cmake ninja-build pkg-config protobuf-c-compiler libonnx-dev libjs-chart.js
build=$PWD/build/aarch64
root=$build/root
triple=aarch64-linux-gnu

# The packages of Debian's archive for arm64, unpacked beside each other: nothing is installed.
fetch() {
  apt=$build/apt
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
  : >"$apt/status"
  set -- -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" \
    -o Dir::Cache="$apt/cache" -o Debug::NoLocking=true -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o APT::Get::AllowUnauthenticated=false
  apt-get "$@" update >/dev/null
  apt-get "$@" install -y --download-only libc6-dev libhdf5-dev libsndfile1-dev libsamplerate0-dev libarchive-dev \
    libprotobuf-c-dev libcjson-dev libkissfft-dev libxxhash-dev zlib1g-dev libpcre2-dev libutf8proc-dev >/dev/null
  mkdir -p "$root.new"
  for deb in "$apt"/cache/archives/*.deb; do
    dpkg-deb -x "$deb" "$root.new"
  done
  mv "$root.new" "$root"
}
[ -d "$root" ] || fetch

libraries=$root/usr/lib/$triple
PKG_CONFIG_SYSROOT_DIR=$root
PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$root/usr/share/pkgconfig
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64-linux-gnu.cmake" -DCMAKE_BUILD_TYPE=Release -DTARE_WERROR=ON \
  -DTARE_TESTS=OFF -DTARE_SENTENCEPIECE=OFF -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON -DCMAKE_SYSROOT="$root" -DCMAKE_EXE_LINKER_FLAGS= \
  -DCMAKE_LIBRARY_ARCHITECTURE=$triple -DTARE_ONNX_PROTO=/usr/include/onnx/onnx.proto -DTARE_PROTOC_C="$(command -v protoc-c)" \
  -DHDF5_C_COMPILER_EXECUTABLE=NOTFOUND -DHDF5_ROOT="$root/usr" -DHDF5_C_INCLUDE_DIR="$root/usr/include/hdf5/serial" \
  -DHDF5_hdf5_LIBRARY_RELEASE="$libraries/hdf5/serial/libhdf5.so" >/dev/null
cmake --build "$build" --target tare tare_command

emulated() {
  qemu-aarch64 -cpu max -L "$root" -E LD_LIBRARY_PATH="$build/tools:$libraries:$libraries/hdf5/serial" "$build/tools/tare" "$@"
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
intents=examples/intents-mini

# From data to outputs of a plan, by a command: files NAME.*
job() { # NAME COMMAND...
  to=$work/$1
  shift
  "$@" calibrate $intents/intents-mini.onnx $intents/calib.h5 --limit 2 --profile sequence=4:64:512 -q -o "$to.stats" >"$work/log"
  "$@" table "$to.stats" --method mse -q -o "$to.json" >"$work/log"
  "$@" build $intents/intents-mini.onnx --calib "$to.json" -q -o "$to.plan" >"$work/log"
  "$@" run "$to.plan" $intents/eval.h5 --limit 3 --labels labels --metric accuracy -q --save-outputs "$to.h5"
}
echo "== in the emulator"
emulated --version
job arm emulated
if [ -x "$native" ]; then
  echo "== on this machine"
  job own "$native"
  "$native" run "$work/arm.plan" $intents/eval.h5 --limit 3 -q --save-outputs "$work/plan.h5" >"$work/log"
  for kind in stats json plan h5; do
    cmp "$work/arm.$kind" "$work/own.$kind"
    echo "same bytes: .$kind"
  done
  cmp "$work/arm.h5" "$work/plan.h5"
  echo "same outputs of the plan that was built there"
fi
