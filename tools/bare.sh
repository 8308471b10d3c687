#!/bin/sh
# Runs both commands of the README on a bare machine: in a new root of Debian 12 that has nothing but what
# `debootstrap --variant=minbase` puts there, in a clone of the last commit; first alone, then with the folder of models and
# data that lies beside this checkout, if there is one. A package that a script forgets to install is missing there.
# The root is made in build/bare and removed; packages are kept there for the next time.
# Usage: sh tools/bare.sh [--peers] [--long] (as root; options as tools/check.sh has them)
set -eu
. "$(dirname "$0")/usage.sh"
for argument in "$@"; do
  case $argument in --peers | --long) ;; *) tare_misuse "unknown option '$argument'" ;; esac
done
[ "$(id -u)" -eq 0 ] || tare_misuse "needs root"
cd "$(dirname "$0")/.."
. tools/deps.sh
. tools/bare_root.sh
. tools/minutes.sh
bare=build/bare
root=$bare/root
packages=$bare/packages
options=$*

# Both commands in the clone, with whatever lies beside it. Tells what they took by the table of parts.
commands() { # WHERE [FOLDER PLACE]
  where=$1
  shift
  minutes_begin "quickstart.sh, $where"
  bare_run "$root" "cd /tare/main && sh tools/quickstart.sh" "$packages" /var/cache/apt/archives "$@"
  minutes_begin "check.sh, $where"
  bare_run "$root" "cd /tare/main && sh tools/check.sh $options" "$packages" /var/cache/apt/archives "$@"
}

minutes_begin "bare root"
tare_install debootstrap git
rm -rf "$root"
trap 'rm -rf "$root"' EXIT
trap 'exit 130' HUP INT TERM
bare_make "$root" "$packages"
[ -z "$(git status --porcelain)" ] || echo "bare.sh: changes that are not committed are left out" >&2
git clone -q . "$root/tare/main"

commands alone
if [ -d ../shared ]; then
  commands "with shared" "$(cd ../shared && pwd)" /tare/shared
else
  echo "== no ../shared: not tried with it"
fi
minutes_show
