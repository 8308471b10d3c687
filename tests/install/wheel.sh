#!/bin/sh
# wheel.sh PYTHON CC SOURCE LIBRARY: a wheel has the same bytes each time, can be installed without
# network, and works without the folders that it was made of.
set -eu
python=$1 cc=$2 source=$3 library=$4
"$python" -c 'import cffi, numpy, venv, ensurepip' 2>/dev/null || {
  echo "skipped: $python lacks numpy, cffi or venv (python3-numpy, python3-cffi, python3-venv)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/a" "$work/b"
for folder in a b; do
  sh "$source/python/package.sh" "$python" "$cc" "$work/package-$folder"
  strip --strip-unneeded -o "$work/libtare.so" "$library"
  SOURCE_DATE_EPOCH=1700000000 "$python" "$source/python/wheel.py" "$work/package-$folder/tare" \
    "$work/libtare.so" "$work/$folder"
  rm -rf "$work/package-$folder"
done
cmp "$work"/a/*.whl "$work"/b/*.whl

"$python" -m venv --system-site-packages "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$work"/a/*.whl

cd /
cat >"$work/try.py" <<'END'
import importlib.metadata
import sys
import numpy as np
import tare
folder = sys.argv[1]
assert tare.__file__.startswith(folder), tare.__file__
assert importlib.metadata.version("tare") == tare.__version__
model = sys.argv[2]
random = np.random.default_rng(1)
samples = [{port.name: random.integers(1, 100, (1, n)) for port in tare.Model(model).inputs}
           for n in (5, 9, 30)]
plan = tare.build(model, tare.calibrate(model, samples).table())
assert plan.run(samples[1])["logits"].shape[1] == 9
END
unset TARE_LIBRARY PYTHONPATH
"$work/venv/bin/python" "$work/try.py" "$work" \
  "$source/examples/intents-mini/intents-mini.onnx"

# A library that is missing is named with its package.
broken=$work/broken
cp -R "$(dirname "$(find "$work/venv" -name libtare.so.0)")/.." "$broken"
rm -rf "$broken/__pycache__" # compiled in the same second, it would be taken for that of the file below
sed -i 's/libcjson\.so\.1/libcjsom.so.1/' "$broken/lib/libtare.so.0" "$broken/_needed.py"
mkdir "$work/path" && mv "$broken" "$work/path/tare"
message=$(PYTHONPATH="$work/path" "$python" -c 'import tare' 2>&1 || :)
case $message in
*"libcjsom.so.1: cannot open"*"apt-get install libcjson1"*) ;;
*)
  echo "$message" >&2
  exit 1
  ;;
esac
