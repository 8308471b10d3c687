#!/bin/sh
# run_case.sh TARE JSON_CHECK SOURCE CASE: runs cases/CASE.sh in an empty folder and compares what
# it prints with CASE.out and CASE.err (missing: not looked at) and its exit code with CASE.code
# (missing: 0). UPDATE=1 writes them anew. Cases have the models and data of EXAMPLES, or, where nothing depends
# on accuracy, those of SMALL, by the same names at a tenth of the cost.
set -u
TARE=$1
JSON_CHECK=$2
SOURCE=$3
EXAMPLES=$3/examples
SMALL=$3/tests/fixtures/small
LC_ALL=C
unset ARGP_HELP_FMT COLUMNS || true
export TARE JSON_CHECK SOURCE EXAMPLES SMALL LC_ALL
case_path=$SOURCE/tests/cli/cases/$4

folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/work"
(cd "$folder/work" && sh -u "$case_path.sh" >"$folder/out" 2>"$folder/err" </dev/null)
code=$?

status=0
for stream in out err; do
  sed -e "s|$SOURCE/||g" -e "s|$folder/work/||g" -e 's|([0-9]*\.[0-9] s)|(T s)|' "$folder/$stream" \
    >"$folder/$stream.clean"
  if [ "${UPDATE:-0}" = 1 ]; then
    cp "$folder/$stream.clean" "$case_path.$stream"
  elif [ -f "$case_path.$stream" ]; then
    diff -u "$case_path.$stream" "$folder/$stream.clean" || status=1
  fi
done
expected=0
[ -f "$case_path.code" ] && expected=$(cat "$case_path.code")
if [ "$code" != "$expected" ]; then
  echo "exit code $code, expected $expected"
  cat "$folder/out" "$folder/err"
  status=1
fi
exit $status
