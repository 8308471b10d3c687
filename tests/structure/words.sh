#!/bin/sh
# words.sh SOURCE: no document, message or comment uses a phrase of words.txt.
set -eu
cd "$1"
places="README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md docs examples/README.md bench include base shapes
  kernels datasets graph engine calib tools"
tab=$(printf '\t')
bad=0
while IFS=$tab read -r pattern better; do
  case $pattern in '#'*) continue ;; esac
  [ -n "$better" ] || { echo "words.txt: no tab in: $pattern" >&2 && bad=1; }
  # shellcheck disable=SC2086 # a list of paths without spaces
  found=$(grep -rnE --include='*.md' --include='*.[1ch]' --include='*.inc' -e "$pattern" $places) || continue
  printf '%s\nwrite instead: %s\n' "$found" "$better" >&2
  bad=1
done <tests/structure/words.txt
exit $bad
