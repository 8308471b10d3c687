#!/bin/sh
# packages.sh CPACK BUILD: the Debian packages hold what they should, depend on what they use, and the command runs
# from what they unpack to.
set -eu
cpack=$1 build=$2
for program in dpkg-deb dpkg-shlibdeps; do
  command -v $program >/dev/null || {
    echo "skipped: no $program"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cpack" --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || {
  cat "$work/log"
  exit 1
}
cd "$work"
names="libtare0 libtare-dev tare"
if grep -q '^set(CPACK_COMPONENTS_ALL.*mpi' "$build/CPackConfig.cmake"; then
  names="$names tare-mpi"
fi
if grep -q '^set(CPACK_COMPONENTS_ALL.*python' "$build/CPackConfig.cmake"; then
  names="$names python3-tare"
fi
for name in $names; do
  set -- "$name"_*.deb
  test -f "$1"
  dpkg-deb -f "$1" Package Version Architecture Section Depends | sed "s/^/$name: /"
  dpkg-deb -x "$1" root
done
dpkg-deb -f libtare0_*.deb Depends | grep -q libhdf5
dpkg-deb -f tare_*.deb Depends | grep -q 'libtare0 (= '
! dpkg-deb -f tare_*.deb Depends | grep -q mpi
case $names in
*mpi)
  dpkg-deb -f tare-mpi_*.deb Depends | grep -q libopenmpi
  test -s "$(find root -path '*/tare/tare_mpi.so')"
  ;;
esac
case $names in
*python3-tare*)
  modules=root/usr/lib/python3/dist-packages
  test "$(dpkg-deb -f python3-tare_*.deb Architecture)" = all
  dpkg-deb -f python3-tare_*.deb Depends | grep -q 'libtare0 (= .*python3-cffi-backend.*python3-numpy'
  test -s $modules/tare/_api.py -a -f $modules/tare/py.typed
  test -z "$(find $modules -name __pycache__)"
  dpkg-deb -e python3-tare_*.deb control
  test -x control/postinst -a -x control/prerm
  python=/usr/bin/python3 # another one in PATH has other packages
  ! "$python" -c 'import numpy, _cffi_backend' 2>/dev/null ||
    LD_LIBRARY_PATH=$(dirname "$(find root -name libtare.so.0)") PYTHONPATH=$modules PYTHONDONTWRITEBYTECODE=1 \
      "$python" -c 'import importlib.metadata as known, tare
assert known.version("tare") == tare.__version__, known.version("tare")
print(tare.__file__, tare.__version__)'
  rm -r control
  ;;
esac
dpkg-deb -e libtare0_*.deb control
grep -q ldconfig control/postinst control/triggers 2>/dev/null
for file in bin/tare include/tare/tare.h share/man/man1/tare.1.gz share/doc/tare/copyright share/doc/libtare0/changelog.gz \
  share/bash-completion/completions/tare; do
  test -s "root/usr/$file"
done
library=$(dirname "$(find root -name libtare.so.0)")
grep -qx 'prefix=/usr' "$library/pkgconfig/tare.pc"
LD_LIBRARY_PATH=$library "$work/root/usr/bin/tare" version
! readelf -d root/usr/bin/tare "$library/libtare.so.0" | grep -E 'R(UN)?PATH.*(build|home|work)'
