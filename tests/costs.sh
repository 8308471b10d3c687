#!/bin/sh
# costs.sh BUILD...: writes tests/costs.txt, the seconds that tests took on average in these builds, by what ctest keeps of
# its runs. Tests that the first build has not run are taken from the next.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
for build in "$@"; do
  sed '/^---/,$d' "$build/Testing/Temporary/CTestCostData.txt"
done | awk '!($1 in seen) && $2 > 0 { seen[$1]; if ($3 >= 0.5) printf "%d %s\n", $3 + 0.5, $1 }' | sort -k1,1rn -k2 >"$root/tests/costs.new"
{
  echo "# Seconds that tests take, measured by tests/costs.sh; the others take less than one."
  cat "$root/tests/costs.new"
} >"$root/tests/costs.txt"
rm "$root/tests/costs.new"
