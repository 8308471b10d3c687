#!/bin/sh
# site.sh SOURCE PYTHON: builds the site and checks it. Skipped without the tools that it needs.
set -eu
source=$1 python=$2
case $python in
*NOTFOUND | "")
  echo "skipped: no python3"
  exit 77
  ;;
esac
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
sh "$source/tools/site.sh" "$out" 2>"$out.log" || {
  code=$?
  cat "$out.log"
  exit $code
}
[ ! -s "$out.log" ] || {
  cat "$out.log"
  exit 1
}
rm -f "$out.log"
"$python" "$source/tests/site/check_links.py" "$out"
# The pages that a reader begins with, and a page for each document and manual.
for page in "$source"/docs/*.md; do
  test -s "$out/$(basename "$page" .md).html"
done
for page in "$source"/docs/man/*.1; do
  grep -q '<h1 class="Sh"' "$out/man/${page##*/}.html"
done
test -s "$out/api/index.html"
grep -q tare_context_run "$out"/api/globals*.html
grep -q '"installation\|"install.html"' "$out/search.js"
