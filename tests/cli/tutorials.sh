#!/bin/sh
# tutorials.sh TARE SOURCE: the commands of docs/tutorials.md, typed as they stand there, print what stands there.
# Lines may be wrapped; times at the end of a line may be others.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir bin
ln -s "$1" bin/tare
ln -s "$2/examples" .
awk '/^```/ { inside = !inside; next }
     !inside { next }
     /^\$ / || more { print substr($0, more ? 1 : 3) >"typed"; more = /\\$/; next }
     NF { print >"expected" }' "$2/docs/tutorials.md"
PATH=$folder/bin:$PATH LC_ALL=C sh -eu typed >printed 2>&1 || {
  cat printed
  exit 1
}
tr -s ' \n' ' ' <printed >line
bad=0
while read -r words; do
  words=$(printf '%s\n' "$words" | sed -E 's/ +/ /g; s/ [0-9.]+ (s|[0-9.]+)$/ /; s/ \.\.\.$/ /')
  grep -qF -- "$words" line || {
    echo "docs/tutorials.md has what is not printed: $words"
    bad=1
  }
done <expected
[ "$(grep -c '^tare' typed)" -ge 8 ]
[ "$(wc -l <expected)" -gt 0 ]
for file in digits.stats digits.calib.json digits.plan intents.html intents.int8.onnx digits.cache; do
  [ -s $file ]
done
[ $bad = 0 ] || cat printed
exit $bad
