#!/bin/sh
# Builds the packages and the wheel twice, from two copies of the last commit in different folders, at different times,
# in other time zones and languages, and compares the bytes of all that comes out.
# Usage: sh tools/reproduce.sh [FOLDER] (default: a temporary one; ccache would hide differences and is off)
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 1 "$@"
source=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER SOURCE_DATE_EPOCH || true
export CCACHE_DISABLE=1
commit=$(git -C "$source" rev-parse HEAD)

build() { # NAME TIME_ZONE LANGUAGE UMASK
  git -c advice.detachedHead=false clone -q --no-hardlinks "$source" "$folder/$1/tare"
  git -C "$folder/$1/tare" checkout -q "$commit"
  (umask "$4" && TZ=$2 LANG=$3 LC_ALL=$3 sh -c '
    sh "$1/tare/tools/package.sh" "$1/dist" && sh "$1/tare/tools/wheel.sh" "$1/dist"' sh "$folder/$1" >"$folder/$1.log" 2>&1) || {
    tail -n 20 "$folder/$1.log" >&2
    exit 1
  }
}

build first UTC C 022
sleep 2
build second-with-another-name Asia/Kathmandu C.UTF-8 027
bad=0
for file in "$folder"/first/dist/*; do
  other=$folder/second-with-another-name/dist/${file##*/}
  if cmp -s "$file" "$other"; then
    sha256sum "$file" | sed "s#  .*/#  same: #"
  else
    echo "differs: ${file##*/} (diffoscope '$file' '$other' shows where)" >&2
    bad=1
  fi
done
[ $# -gt 0 ] || rm -rf "$folder"
exit $bad
