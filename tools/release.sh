# Builds what packages and wheels are made of, in build/package. Neither times nor folders of the build get into its files.
# The path at which the command finds the library is relative: after it was replaced, its length would stay.
# Sourced by package.sh and wheel.sh, in the folder of the sources.
set -eu

SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
build=build/package

# tare_release [OPTIONS OF cmake --build]: symbols for debuggers are for the check of the ABI, and are stripped later
tare_release() {
  flags="-g -ffile-prefix-map=$PWD/$build=build -ffile-prefix-map=$PWD=."
  cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DTARE_TESTS=OFF \
    -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" ${TARE_PACKAGE_CONTACT:+"-DTARE_PACKAGE_CONTACT=$TARE_PACKAGE_CONTACT"} \
    >/dev/null
  cmake --build $build "$@"
}
