#!/bin/sh
# Installs what is missing, builds tare with warnings as errors, and passes the tests twice: as
# users run it, and under AddressSanitizer and UndefinedBehaviorSanitizer. Then the kernels for 64-bit
# Arm are built and tested in an emulator. It ends with the minutes that each part took.
# Usage: sh tools/check.sh [--peers] [--long] | --quick PART
# With --peers models that are written for ONNX Runtime are also run in it; its library is fetched
# from the npm registry, and these tests are skipped where the registry cannot be reached.
# With --long, failures of the system are tried at many more points, and every test runs under sanitizers, too.
# With --quick PART, only the quick tests of one part run, in the build of the preset `dev`, which is made anew
# where sources have changed. PART is a floor, as graph, a room with tests of its own, as passes, a command, as
# compare, or another label of the tests.
set -eu
. "$(dirname "$0")/usage.sh"
peers='' long='' part=''
while [ $# -gt 0 ]; do
  case $1 in
  --peers) peers=1 ;;
  --long) long=1 ;;
  --quick)
    [ $# -eq 2 ] && [ -z "$peers$long" ] || tare_misuse "--quick takes one PART, and no other option"
    part=$2
    shift
    ;;
  *) tare_takes 0 "$@" ;;
  esac
  shift
done
cd "$(dirname "$0")/.."
. tools/deps.sh
. tools/minutes.sh
cores=$(nproc)
jobs=$(((cores * 3 + 1) / 2)) # some tests wait: for processes that start, and for such as are killed

build() { # PRESET
  cmake --preset "$1" -G Ninja >/dev/null
  cmake --build --preset "$1"
}

quick() { # PART
  # shellcheck disable=SC2086 # the list is meant to be split
  tare_install $TARE_PACKAGES $TARE_PYTHON_PACKAGES $TARE_TEST_PACKAGES
  build dev
  ctest --preset dev --print-labels | sed -n 's/^  //p' >build/dev/labels
  grep -qxF "$1" build/dev/labels || {
    echo "check.sh: no tests have the label '$1' (there are: $(tr '\n' ' ' <build/dev/labels | sed 's/ $//'))" >&2
    exit 2
  }
  ctest --preset dev -j "$jobs" -L "^$1\$" -L '^quick$' --no-tests=error
}
if [ -n "$part" ]; then
  quick "$part"
  exit
fi

# Random tests repeat themselves on one commit, and try something else on the next.
if [ -z "${TARE_TEST_SEED:-}" ] && commit=$(git rev-parse HEAD 2>/dev/null); then
  TARE_TEST_SEED=$((0x$(echo "$commit" | cut -c 1-7)))
  export TARE_TEST_SEED
fi

minutes_begin "packages"
# shellcheck disable=SC2086
tare_install $TARE_PACKAGES $TARE_PYTHON_PACKAGES $TARE_TEST_PACKAGES
# shellcheck disable=SC2086
if (tare_install $TARE_CROSS_PACKAGES); then cross=1; else cross=; fi
# shellcheck disable=SC2086
sh tools/programs.sh . $TARE_PACKAGES $TARE_PYTHON_PACKAGES $TARE_TEST_PACKAGES $TARE_CROSS_PACKAGES $TARE_HAND_PACKAGES
if [ -n "$peers" ]; then
  if library=$(sh tools/peers.sh build/peers); then
    export TARE_ONNXRUNTIME="$PWD/$library"
  else
    echo "== peers skipped: ONNX Runtime cannot be fetched"
  fi
fi

check() { # PRESET ARGUMENT...: with arguments for ctest
  preset=$1
  shift
  minutes_begin "$preset: build"
  build "$preset"
  minutes_begin "$preset: tests"
  ctest --preset "$preset" -j "$jobs" "$@"
}
if [ -n "$long" ]; then
  export TARE_LONG=1
  check release
else
  check release -LE '^long$'
fi
unset TARE_ONNXRUNTIME # the library and the sanitizers do not know each other
if [ -n "$long" ]; then
  check asan-ubsan -LE '^text$' # nothing of tare runs in these
else
  check asan-ubsan -LE '^(long|text)$'
fi
if [ -n "$cross" ]; then
  check aarch64-kernels
else
  echo "== aarch64-kernels skipped: no cross compiler and emulator to be had"
fi
minutes_show
