#!/bin/sh
# Signs the checksums of a release with minisign, or verifies them.
#   sh tools/sign.sh key                makes a pair of keys: tare.pub and, to be kept secret, tare.key
#   sh tools/sign.sh sign FOLDER KEY    FOLDER/SHA256SUMS of all its files, and its signature
#   sh tools/sign.sh verify FOLDER PUB  the signature, then the checksums
# A release is FOLDER with SHA256SUMS and SHA256SUMS.minisig beside the files.
set -eu
command -v minisign >/dev/null || {
  echo "sign.sh: no minisign: apt-get install minisign" >&2
  exit 5
}

usage() {
  sed -n '3,5s/^# */usage: /p' "$0" >&2
  exit 2
}

case ${1-}:$# in
key:1)
  minisign -G -p tare.pub -s tare.key
  ;;
sign:3)
  cd "$2"
  key=$3
  case $key in /*) ;; *) key=$OLDPWD/$key ;; esac
  rm -f SHA256SUMS SHA256SUMS.minisig
  find . -type f | LC_ALL=C sort | sed 's#^\./##' | while read -r file; do sha256sum "$file"; done >"$key.sums"
  mv "$key.sums" SHA256SUMS
  minisign -S -s "$key" -m SHA256SUMS -t "tare release, $(wc -l <SHA256SUMS) files"
  ;;
verify:3)
  minisign -V -p "$3" -m "$2/SHA256SUMS"
  cd "$2"
  sha256sum --check --strict --quiet SHA256SUMS
  # A file without a checksum could be anything.
  find . -type f ! -name SHA256SUMS ! -name SHA256SUMS.minisig | sed 's#^\./##' | while read -r file; do
    cut -c 67- SHA256SUMS | grep -qxF -e "$file" || {
      echo "sign.sh: $file has no checksum" >&2
      exit 1
    }
  done
  echo "signature and checksums are good"
  ;;
*) usage ;;
esac
