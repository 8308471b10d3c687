#!/bin/sh
# abi.sh LIBRARY SOURCE [update]: the interface of the library is that of tests/install/libtare.abi, or more: nothing is gone,
# and no type or call is another. With `update`, writes that file. Needs abidiff (Debian: abigail-tools) and a library with
# symbols for debuggers, as the presets dev and asan-ubsan build it.
set -eu
library=$1 source=$2 baseline=$2/tests/install/libtare.abi
for program in abidw abidiff readelf; do
  command -v $program >/dev/null || {
    echo "skipped: no $program (apt-get install abigail-tools binutils)"
    exit 77
  }
done
readelf -S "$library" | grep -q '\.debug_info' || {
  echo "skipped: $library has no symbols for debuggers"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
abidw --suppressions "$source/tests/install/private.abignore" --no-show-locs --no-corpus-path --no-comp-dir-path \
  --exported-interfaces-only --no-elf-needed --no-write-default-sizes --type-id-style hash --out-file "$work/now.abi" "$library"
# What instrumentation adds is no part of it, and neither is the folder that it was built from.
grep -v "name='__\(asan\|ubsan\|odr\)" "$work/now.abi" | sed -e "s|path='$source/|path='|" -e "s|path='\(../\)*|path='|" >"$work/own.abi"
if [ "${3-}" = update ]; then
  cp "$work/own.abi" "$baseline"
  echo "written: $baseline"
  exit 0
fi
# New calls are welcome; bits 4 and 8 of the code are a change and an incompatible one.
code=0
abidiff --no-added-syms "$baseline" "$work/own.abi" >"$work/report" || code=$?
if [ $code -ne 0 ]; then
  cat "$work/report"
  echo "The interface is another (see docs/install.md, \"The interface\")."
  exit 1
fi
