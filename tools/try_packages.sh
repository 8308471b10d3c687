#!/bin/sh
# Tries the packages of tools/package.sh on a bare Debian 12: installs them, builds and runs the examples, upgrades to a
# higher version, removes and purges them, and looks for what is left behind. A wheel of tools/wheel.sh that lies with them
# is installed in a fresh virtual environment without network, where it must pass its tests.
# ROOT is a folder made by debootstrap --variant=minbase bookworm, and is changed; without it, a new one is made and removed.
# Usage: sh tools/try_packages.sh DIST [ROOT] (as root)
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 2 "$@"
[ $# -gt 0 ] || tare_misuse "no DIST"
[ "$(id -u)" -eq 0 ] || tare_misuse "needs root"
. "$(dirname "$0")/deps.sh"
. "$(dirname "$0")/bare_root.sh"
dist=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
root=${2:-$work/root}
trap 'rm -rf "$work"' EXIT
[ -d "$root/usr" ] || {
  tare_install debootstrap
  bare_make "$root" "$work/packages"
}
# A script in the root, where apt_get does as apt-get without questions, and tells what it did if it fails.
inside() {
  bare_run "$root" "
    export DEBIAN_FRONTEND=noninteractive
    apt_get() { apt-get -y -qq --no-install-recommends \"\$@\" >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; exit 1; }; }
    $1"
}
# All files but those that apt and dpkg keep about packages.
files() {
  (cd "$root" && find . -xdev | grep -vE '^\./(proc|sys|dev|tmp|try|root|var/(cache|log|lib/apt|lib/dpkg))(/|$)' | LC_ALL=C sort)
}

echo "== what they need"
rm -rf "$root/try"
mkdir "$root/try"
cp "$dist"/*.deb "$root/try"
cp -R "$source/examples" "$root/try"
inside "apt_get update; apt_get install gcc libc6-dev pkg-config cmake make man-db"
# Their dependencies stay where the packages go: only what is ours is looked for at the end.
needs=$(for deb in "$dist"/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/[|(].*//; s/ //g' |
  grep -v '^tare$\|^libtare' | sort -u | tr '\n' ' ')
inside "apt_get install $needs; ldconfig"
files >"$work/before"

echo "== install"
inside "apt_get install /try/*.deb; tare --version; man -w tare-build >/dev/null"

echo "== the examples"
inside 'cd /try
cp -R /usr/share/doc/libtare-dev/examples c
cmake -S c -B built >/dev/null
cmake --build built >/dev/null
built/calibrate examples/intents-mini/intents-mini.onnx sequence=4:64:512 examples/intents-mini/calib.h5 a.plan
printf "2 17 23 5 6 7 8 9 3\n" | built/infer a.plan
cc c/infer.c $(pkg-config --cflags --libs tare) -o infer && printf "2 17 23 3\n" | ./infer a.plan
tare calibrate examples/digits-conv/digits-conv.onnx examples/digits-conv/calib --rate 8000 -q \
  --profile samples=1600:32000:120000 -o digits.json >/dev/null
tare build examples/digits-conv/digits-conv.onnx --calib digits.json -q -o digits.plan >/dev/null
built/recognize digits.plan 8000 0123456789 examples/digits-conv/eval | head -n 2'

echo "== Python"
inside 'cd /try && /usr/bin/python3 -c "
import importlib.metadata, numpy, tare
plan = tare.Plan.load(\"digits.plan\")
assert importlib.metadata.version(\"tare\") == tare.__version__
print(tare.__version__, [plan.run(numpy.zeros((1, n), numpy.float32))[\"logits\"].shape for n in (8000, 12345)])"'

echo "== upgrade"
for deb in "$dist"/*.deb; do
  rm -rf "$work/deb"
  dpkg-deb -R "$deb" "$work/deb"
  version=$(dpkg-deb -f "$deb" Version)
  sed -i "s/^Version: .*/Version: $version+1/; s/(= $version)/(= $version+1)/g" "$work/deb/DEBIAN/control"
  dpkg-deb --root-owner-group -b "$work/deb" "$root/try/$(basename "$deb" | sed "s/$version/$version+1/")" >/dev/null
  rm "$root/try/$(basename "$deb")"
done
inside 'apt_get install /try/*.deb
dpkg-query -W -f "\${Package} \${Version} \${db:Status-Abbrev}\n" "*tare*" | grep ii
tare run /try/digits.plan /try/examples/digits-conv/eval --rate 8000 --limit 2 -q >/dev/null'

echo "== remove and purge"
inside 'known() { dpkg-query -W -f "\${Package} " "*tare*" 2>/dev/null || :; }
apt_get remove $(known); command -v tare && exit 1
[ -z "$(known)" ] || apt_get purge $(known)
ldconfig; test -z "$(known)"'
files >"$work/after"
if diff "$work/before" "$work/after"; then
  echo "nothing is left behind"
else
  echo "these files are left behind (>) or gone (<)" >&2
  exit 1
fi

wheel=$(find "$dist" -name 'tare-*.whl' | head -n 1)
[ -n "$wheel" ] || exit 0
echo "== the wheel"
cp "$wheel" "$root/try"
mkdir -p "$root/try/source/tests"
cp -R "$source/examples" "$source/docs" "$root/try/source"
cp -R "$source/tests/python" "$source/tests/fixtures" "$root/try/source/tests"
# The tests compare it with the command, and the package for Python must not be there instead.
inside 'apt_get install python3-venv python3-cffi /try/tare_*.deb /try/libtare0_*.deb
cd /try && /usr/bin/python3 -m venv --system-site-packages env
unshare --net env/bin/pip install --quiet --disable-pip-version-check ./tare-*.whl
env/bin/pip list --disable-pip-version-check 2>/dev/null | grep "^tare "
cd /tmp
export TARE_ISA=any # as ctest has it
export TARE_SOURCE=/try/source TARE_COMMAND=/usr/bin/tare PYTHONPATH=/try/source/tests/python PYTHONDONTWRITEBYTECODE=1
/try/env/bin/python -c "import tare; print(tare.__file__)"
unshare --net /try/env/bin/python -m unittest discover -q -s /try/source/tests/python'
