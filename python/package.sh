#!/bin/sh
# Makes the package as it is imported: the modules, and the declarations of the public headers.
# Usage: sh python/package.sh PYTHON CC FOLDER (gets FOLDER/tare)
set -eu
python=$1 cc=$2 out=$3
source=$(cd "$(dirname "$0")" && pwd)
rm -rf "$out/tare"
mkdir -p "$out"
cp -R "$source/tare" "$out/tare"
find "$out/tare" -name __pycache__ -prune -exec rm -rf {} +
"$python" "$source/declarations.py" "$source/../include" "$out/tare/_api.py" "$cc" >/dev/null
