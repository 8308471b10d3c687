#!/bin/sh
# swept_calls.sh NM LIBRARY PROGRAM...: each public function is called by a program that the sweeps run.
set -eu
LC_ALL=C
export LC_ALL
nm=$1 library=$2
shift 2
called=$(for program in "$@"; do "$nm" -u "$program"; done | awk '{ print $2 }' | sed 's/@.*//' | sort -u)
status=0
for name in $("$nm" -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sed 's/@.*//' |
  grep '^tare_'); do
  if ! printf '%s\n' "$called" | grep -qx "$name"; then
    echo "no sweep calls $name: call it in tests/fault/library.c"
    status=1
  fi
done
exit $status
