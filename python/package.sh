#!/bin/sh
# Makes the package as it is imported: the modules, the declarations of the public headers, and what
# Python's tools know of it.
# Usage: sh python/package.sh PYTHON CC FOLDER (gets FOLDER/tare and FOLDER/tare-VERSION.dist-info)
set -eu
python=$1 cc=$2 out=$3
source=$(cd "$(dirname "$0")" && pwd)
rm -rf "$out/tare" "$out"/tare-*.dist-info
mkdir -p "$out"
cp -R "$source/tare" "$out/tare"
find "$out/tare" -name __pycache__ -prune -exec rm -rf {} +
"$python" "$source/declarations.py" "$source/../include" "$out/tare/_api.py" "$cc" >/dev/null
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$out/tare/_api.py")
mkdir "$out/tare-$version.dist-info"
cat >"$out/tare-$version.dist-info/METADATA" <<END
Metadata-Version: 2.1
Name: tare
Version: $version
Summary: INT8 calibration and inference for ONNX models whose inputs change length
License: Apache-2.0
Requires-Python: >=3.9
END
