#!/bin/sh
# exported_symbols.sh NM LIBRARY HEADERS: every symbol that the library shows is declared in a
# public header, and every call declared there is shown.
set -eu
LC_ALL=C
export LC_ALL
shown=$("$1" -D --defined-only "$2" | awk '{ print $NF }' | sed 's/@.*//' |
  grep -v '^TARE_0$\|^__\(asan\|ubsan\|odr\)' | sort -u)
declared=$(cat "$3"/*.h | tr '\n' ' ' | grep -o 'TARE_API [^;(]*(' | grep -o 'tare_[a-z0-9_]*($' |
  tr -d '(' | sort -u)
status=0
for name in $shown; do
  if ! printf '%s\n' "$declared" | grep -qx "$name"; then
    echo "shown but in no public header: $name"
    status=1
  fi
done
for name in $declared; do
  if ! printf '%s\n' "$shown" | grep -qx "$name"; then
    echo "in a public header but not shown: $name"
    status=1
  fi
done
exit $status
