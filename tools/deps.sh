# Installs what the build needs and the machine lacks, from Debian 12's packages. Sourced.
set -eu

TARE_PACKAGES="gcc g++ libc6-dev cmake ninja-build pkg-config libhdf5-dev libsndfile1-dev
libsamplerate0-dev libarchive-dev libprotobuf-c-dev protobuf-c-compiler libonnx-dev libcjson-dev libkissfft-dev
libxxhash-dev zlib1g-dev libpcre2-dev libutf8proc-dev libsentencepiece-dev libjs-chart.js"

# The Python package, its wheel and its tests.
TARE_PYTHON_PACKAGES="python3 python3-minimal python3-numpy python3-cffi python3-pip python3-venv"

# The tests, the kernels for 64-bit Arm, and scripts that are run by hand and install what they call.
TARE_TEST_PACKAGES="libcmocka-dev binutils hdf5-tools openmpi-bin libopenmpi-dev ca-certificates curl dpkg-dev file git jq
mold abigail-tools pandoc mandoc doxygen minisign universal-ctags"
TARE_CROSS_PACKAGES="gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"
TARE_HAND_PACKAGES="debootstrap"

# tare_install packages...: does nothing when all are there
tare_install() {
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "tare: missing packages, and neither root nor sudo to install them:$missing" >&2
      exit 5
    }
    as_root=sudo
  fi
  echo "installing:$missing"
  $as_root apt-get update -qq
  # shellcheck disable=SC2086 # the list is meant to be split
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null
}
