#!/bin/sh
# places.sh CMAKE CC PKG_CONFIG BUILD SOURCE: what is installed works where it is put and where it is moved to, in folders
# of any name. Programs build by pkg-config and by CMake, with the shared and with the static library, and run; the command
# and the Python package find the library.
set -eu
cmake=$1 cc=$2 pkg_config=$3 build=$4 source=$5
program=$source/tests/install/program
version=$(sed -n 's/^#define TARE_VERSION "\(.*\)"$/\1/p' "$source/include/tare/tare.h")
model=$source/tests/fixtures/small/intents-mini/intents-mini.onnx
data=$source/tests/fixtures/small/intents-mini/calib.h5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH TARE_LIBRARY PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR DESTDIR
cd "$work"

same() { # WHAT GOT EXPECTED
  test "$2" = "$3" || {
    echo "$1: '$2', expected '$3'"
    exit 1
  }
}
quietly() { # COMMAND...
  "$@" >printed 2>&1 || {
    cat printed
    exit 1
  }
}
try_programs() { # SHARED ARCHIVE PREFIX: they run with the library of the prefix and with none
  same "$1" "$("$1" "$model" "$data")" "$version 2"
  ldd "$1" | grep -qF "libtare.so.0 => $3/" || same "$1: library" "$(ldd "$1" | grep libtare)" "$3"
  same "$2" "$("$2" "$model" "$data")" "$version 2"
  same "$2: library" "$(ldd "$2" | grep libtare)" ""
}

# try_pkg_config LIBRARIES PREFIX
try_pkg_config() {
  export PKG_CONFIG_PATH="$1/pkgconfig"
  for kind in tare tare-static; do # flags are quoted for a shell
    eval "'$cc' '$program/program.c' $("$pkg_config" --cflags --libs $kind) '-Wl,-rpath,$1' -o $kind"
  done
  unset PKG_CONFIG_PATH
  try_programs ./tare ./tare-static "$2"
}
# try_cmake PREFIX [OPTION]: CMake is told the prefix, or the option
try_cmake() {
  rm -rf built
  quietly "$cmake" -S "$program" -B built "${2--DCMAKE_PREFIX_PATH=$1}" -DCMAKE_C_COMPILER="$cc" \
    -DPKG_CONFIG_EXECUTABLE="$pkg_config"
  quietly "$cmake" --build built
  try_programs built/shared built/archive "$1"
}
# try_command FOLDER PREFIX: with the library of the prefix
try_command() {
  quietly "$1/tare" inspect "$model"
  ldd "$1/tare" | grep -qF "libtare.so.0 => $1/" || same "$1/tare: library" "$(ldd "$1/tare" | grep libtare)" "$2"
}
forgotten() { # PREFIX PATH...: no file of the prefix has one of the paths
  prefix=$1
  shift
  for path in "$@"; do
    same "files with $path" "$(grep -rlF "$path" "$prefix")" ""
  done
}

echo "== moved"
"$cmake" --install "$build" --prefix "$work/put" >/dev/null
mv put moved
prefix=$work/moved
libraries=$(dirname "$(find "$prefix" -name libtare.so.0)")
libdir=${libraries#"$prefix/"}
forgotten "$prefix" "$work" "$build"
try_pkg_config "$libraries" "$prefix"
try_cmake "$prefix"
PKG_CONFIG_LIBDIR=/none "$cmake" -S "$program" -B without -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >printed 2>&1 && exit 1
same "what the archive lacks" "$(tr -s ' \n' ' ' <printed | grep -c 'tare::tare_static needs .* hdf5 ')" 1
try_command "$prefix/bin" "$prefix"
if [ -e "$libraries/tare/tare_mpi.so" ]; then # found, it says that there is no mpirun
  OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 "$prefix/bin/tare" calibrate "$model" none -q -o x.stats >printed 2>&1 || :
  same "module for MPI" "$(grep -c 'OMPI_COMM_WORLD_SIZE is 2, but for ' printed)" 1
fi
if [ "$libdir" = lib ] && [ -e "$build/debian/python/tare/_api.py" ]; then
  "$cmake" --install "$build" --component python --prefix "$prefix" >/dev/null
  PYTHONPATH=$prefix/lib/python3/dist-packages /usr/bin/python3 -c 'import tare
print(tare.__version__, len(tare.Model("'"$model"'").inputs), "'"$libraries/libtare.so"'" in open("/proc/self/maps").read())' >printed
  same "Python" "$(cat printed)" "$version 2 True"
fi

echo "== unusual names"
prefix="$work/a b/c+ü~#1"
"$cmake" --install "$build" --prefix "$prefix" >/dev/null
try_pkg_config "$prefix/$libdir" "$prefix"
try_cmake "$prefix"
try_command "$prefix/bin" "$prefix"

echo "== a system"
DESTDIR=$work/root "$cmake" --install "$build" --prefix /usr >/dev/null
forgotten root "$work"
export PKG_CONFIG_LIBDIR="$work/root/usr/$libdir/pkgconfig"
same "flags in /usr" "$("$pkg_config" --cflags --libs tare | tr -d ' ')" -ltare
export PKG_CONFIG_SYSROOT_DIR="$work/root"
same "flags with a sysroot" "$("$pkg_config" --cflags --libs tare | sed 's/ *$//')" \
  "-I$work/root/usr/include -L$work/root/usr/$libdir -ltare"
unset PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
ln -s usr/lib root/lib
try_cmake "$work/root/usr" -DCMAKE_PREFIX_PATH="$work/root"

# Two more trees install what BUILD has built, to folders of other names.
values='CMAKE_BUILD_TYPE|CMAKE_C_COMPILER|CMAKE_CXX_COMPILER|PKG_CONFIG_EXECUTABLE|TARE_[A-Z0-9_]*|HDF5_[A-Za-z0-9_]*|MPI_[A-Za-z0-9_]*'
sed -nE "s#^($values):(BOOL|STRING|PATH|FILEPATH|UNINITIALIZED)=(.*)#set(\1 [==[\3]==] CACHE STRING \"\")#p" "$build/CMakeCache.txt" >values.cmake
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
rpath=$(sed -n "s|.*OLD_RPATH \"\($build/tools:*\)\".*|\1|p" "$build/cmake_install.cmake")
configure_tree() { # OPTION...
  quietly "$cmake" -S "$source" -B tree -G "$generator" -C values.cmake -DTARE_TESTS=OFF -DTARE_BENCH=OFF "$@"
  sed -i -e "s|OLD_RPATH \"$work/tree/tools:*\"|OLD_RPATH \"$rpath\"|" -e "s|$work/tree/tools/|$build/tools/|" tree/cmake_install.cmake
}

echo "== other folders"
configure_tree -DCMAKE_INSTALL_LIBDIR=l/a/b -DCMAKE_INSTALL_INCLUDEDIR=i/c -DCMAKE_INSTALL_BINDIR=b/d
"$cmake" --install tree --prefix "$work/put" >/dev/null
mv put other
forgotten other "$work"
try_pkg_config "$work/other/l/a/b" "$work/other"
try_cmake "$work/other" -Dtare_DIR="$work/other/l/a/b/cmake/tare"
try_command "$work/other/b/d" "$work/other"

echo "== absolute folders"
install_tree() {
  for component in library development; do
    "$cmake" --install tree --component $component "$@" >/dev/null
  done
}
configure_tree -DCMAKE_INSTALL_LIBDIR="$work/far" -DCMAKE_INSTALL_INCLUDEDIR=include -DCMAKE_INSTALL_PREFIX="$work/near"
same "absolute RPATH" "$(grep -c "NEW_RPATH \"$work/far\"" tree/cmake_install.cmake)" 1
install_tree
try_pkg_config "$work/far" "$work/far"
try_cmake "$work/far" -Dtare_DIR="$work/far/cmake/tare"
configure_tree -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_INCLUDEDIR="$work/headers"
install_tree --prefix "$work/put"
mv put headless
try_pkg_config "$work/headless/lib" "$work/headless"
try_cmake "$work/headless"
