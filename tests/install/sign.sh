#!/bin/sh
# sign.sh SOURCE: tools/sign.sh accepts a release as it was signed, and none in which a file is another or new.
set -eu
sign=$1/tools/sign.sh
command -v minisign >/dev/null || {
  echo "skipped: no minisign (apt-get install minisign)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p release/folder
echo one >release/one
echo two >release/folder/two
printf 'password\npassword\n' | sh "$sign" key >/dev/null
printf 'password\n' | sh "$sign" sign release tare.key >/dev/null
sh "$sign" verify release tare.pub

refused() { # WHAT: a copy of the release that is none
  ! sh "$sign" verify copy tare.pub >said 2>&1 || {
    echo "accepted although $1"
    exit 1
  }
  rm -r copy
}
copy() { cp -R release copy; }
copy && echo three >copy/folder/two && refused "a file is another"
copy && rm copy/one && refused "a file is gone"
copy && touch copy/new && refused "a file is new"
copy && touch copy/on && refused "a file is new whose name begins one of the others"
copy && echo "# changed" >>copy/SHA256SUMS && refused "the checksums are others"
mv tare.pub others.pub
mv tare.key others.key
printf 'password\npassword\n' | sh "$sign" key >/dev/null
copy && refused "the key is another"
