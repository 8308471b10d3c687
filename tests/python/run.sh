#!/bin/sh
# run.sh PYTHON CC SOURCE FOLDER package: makes the package in FOLDER.
# run.sh PYTHON CC SOURCE FOLDER NAME: runs tests/python/test_NAME.py with it.
set -eu
python=$1 cc=$2 source=$3 folder=$4 name=$5
"$python" -c 'import cffi, numpy' 2>/dev/null || {
  echo "skipped: $python lacks numpy or cffi (python3-numpy, python3-cffi)"
  [ "$name" = package ] && exit 0
  exit 77
}
if [ "$name" = package ]; then
  exec sh "$source/python/package.sh" "$python" "$cc" "$folder"
fi
export PYTHONPATH="$folder:$source/tests/python" PYTHONDONTWRITEBYTECODE=1 TARE_SOURCE="$source"
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
LD_PRELOAD=${TARE_PRELOAD:-} exec "$python" -m unittest -q "test_$name"
