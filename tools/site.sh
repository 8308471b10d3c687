#!/bin/sh
# Builds the documentation as a site that needs no network: pages of docs/, the manual, and the reference of
# the C interface. Usage: sh tools/site.sh [FOLDER] (default: build/site); begin with FOLDER/index.html
# Needs pandoc, mandoc and doxygen (Debian's packages of these names).
set -eu
. "$(dirname "$0")/usage.sh"
tare_takes 1 "$@"
for program in pandoc mandoc doxygen; do
  command -v $program >/dev/null || {
    echo "site.sh: no $program: apt-get install pandoc mandoc doxygen" >&2
    exit 77
  }
done
out=${1:-$(dirname "$0")/../build/site}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
rm -rf "${out:?}"/*
mkdir "$out/man" "$out/api"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The groups of the list of pages; what no group has comes last, so that no page is forgotten.
start="README install tutorials"
guides="coming-from questions datasets metrics report quantized-models scale accuracy precision performance performance-layers limits python"
reference="formats json numerics glossary"
inside="architecture extending CONTRIBUTING SECURITY CHANGELOG"
source_of() { # PAGE: its file
  if [ -f "docs/$1.md" ]; then echo "docs/$1.md"; elif [ -f "$1.md" ]; then echo "$1.md"; fi
}
pages=
for page in $start $guides $reference $inside; do
  [ -z "$(source_of "$page")" ] || pages="$pages $page"
done
rest=
for file in docs/*.md; do
  page=$(basename "$file" .md)
  case " $pages " in *" $page "*) ;; *) rest="$rest $page" ;; esac
done
pages="$pages$rest"
manuals=$(cd docs/man && ls ./*.1 | sed 's#^\./##' | LC_ALL=C sort | tr '\n' ' ')

title_of() { # PAGE
  if [ "$1" = README ]; then echo "What tare is"; else sed -n '1s/^# *//p' "$(source_of "$1")"; fi
}
html_of() { # PAGE: its name in the site
  if [ "$1" = README ]; then echo index.html; else echo "$1.html"; fi
}

# group TITLE ROOT CURRENT PAGE...: a part of the list of pages
group() {
  title=$1 root=$2 current=$3
  shift 3
  printf '<h2>%s</h2>\n<ul>\n' "$title"
  for page in "$@"; do
    [ -n "$(source_of "$page")" ] || continue
    mark=
    [ "$page" != "$current" ] || mark=' aria-current="page"'
    printf '<li><a href="%s%s"%s>%s</a></li>\n' "$root" "$(html_of "$page")" "$mark" "$(title_of "$page")"
  done
  echo '</ul>'
}

# navigation ROOT CURRENT
navigation() {
  # shellcheck disable=SC2086 # lists of pages
  {
    group Start "$1" "$2" $start
    group Guides "$1" "$2" $guides
    group Reference "$1" "$2" $reference $rest
    printf '<h2>Manual</h2>\n<ul>\n'
    for entry in $manuals; do
      mark=
      [ "$entry" != "$2" ] || mark=' aria-current="page"'
      printf '<li><a href="%sman/%s.html"%s>%s</a></li>\n' "$1" "$entry" "$mark" "$(basename "$entry" .1 | tr - ' ')"
    done
    printf '</ul>\n<h2>Library</h2>\n<ul>\n<li><a href="%sapi/tare_8h.html">C interface</a></li>\n</ul>\n' "$1"
    group "Inside tare" "$1" "$2" $inside
  }
}

# page FORMAT FILE HTML ROOT CURRENT TITLE: one page in the frame of all
page() {
  navigation "$4" "$5" >"$work/navigation"
  pandoc --from "$1" --to html5 --standalone --template docs/site/template.html --no-highlight \
    --wrap preserve --lua-filter docs/site/links.lua --metadata title="$6" --variable root="$4" \
    --variable navigation="$(cat "$work/navigation")" -o "$3" "$2"
}

SITE_PAGES=$pages
export SITE_PAGES
for name in $pages; do
  file=$(source_of "$name")
  SITE_FOLDER=$(dirname "$file" | sed 's#^\.$##; s#[^/]$#&/#')
  export SITE_FOLDER
  page gfm+gfm_auto_identifiers "$file" "$out/$(html_of "$name")" "" "$name" "$(title_of "$name")"
done

for manual in $manuals; do
  mandoc -T html -O "fragment,man=%N.%S.html" "docs/man/$manual" >"$work/manual.html"
  # The page is markup already: it only needs the frame. Pages of other packages have no link.
  sed -E 's#<a class="Xr" href="([^"]*)">#<a class="Xr" href="\1">#g' "$work/manual.html" |
    awk -v known=" $manuals " '{
      while (match($0, /<a class="Xr" href="[^"]*">[^<]*<\/a>/)) {
        link = substr($0, RSTART, RLENGTH); name = link
        sub(/.*href="/, "", name); sub(/\.html".*/, "", name)
        text = link; gsub(/<[^>]*>/, "", text)
        kept = index(known, " " name " ") ? link : text
        gsub(/class="Xr"/, "class=\"seen\"", kept)
        $0 = substr($0, 1, RSTART - 1) kept substr($0, RSTART + RLENGTH)
      }
      print}' >"$work/body.html"
  navigation ../ "$manual" >"$work/navigation"
  echo '' | pandoc --from html --to html5 --standalone --template docs/site/template.html \
    --metadata title="$(basename "$manual" .1 | tr - ' ')" --variable root=../ \
    --variable navigation="$(cat "$work/navigation")" -o "$work/frame.html"
  awk -v body="$work/body.html" '{print}
    /^<article>$/ {while ((getline line <body) > 0) print line}' "$work/frame.html" >"$out/man/$manual.html"
done

# The reference. The first comment of a header is that of the file.
cat >"$work/Doxyfile" <<EOF
PROJECT_NAME = tare
PROJECT_NUMBER = "C interface $(sed -n 's/^#define TARE_VERSION "\(.*\)"$/\1/p' include/tare/tare.h)"
OUTPUT_DIRECTORY = $out
HTML_OUTPUT = api
GENERATE_LATEX = NO
INPUT = include/tare
STRIP_FROM_PATH = include
STRIP_FROM_INC_PATH = include
EXTRACT_ALL = YES
OPTIMIZE_OUTPUT_FOR_C = YES
JAVADOC_AUTOBRIEF = YES
TYPEDEF_HIDES_STRUCT = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = TARE_API=
INPUT_FILTER = "awk -f docs/site/header.awk"
MARKDOWN_SUPPORT = NO
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
QUIET = YES
HTML_EXTRA_STYLESHEET = docs/site/reference.css
HTML_TIMESTAMP = NO
HAVE_DOT = NO
GENERATE_TREEVIEW = NO
SEARCHENGINE = YES
SHOW_FILES = YES
VERBATIM_HEADERS = NO
EOF
doxygen "$work/Doxyfile"

cp docs/site/style.css "$out/"
{
  cat docs/site/search.js
  echo 'const HEADINGS = ['
  for html in $(cd "$out" && ls ./*.html man/*.html | sed 's#^\./##' | LC_ALL=C sort); do
    awk -v page="$html" '
      /<title>/ {title = $0; sub(/.*<title>/, "", title); sub(/ · tare<.*/, "", title)}
      {rest = $0
       while (match(rest, /<h[123][^>]*>.*<\/h[123]>/)) {
         heading = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
         id = ""
         if (match(heading, /id="[^"]*"/)) id = substr(heading, RSTART + 4, RLENGTH - 5)
         text = heading; gsub(/<[^>]*>/, "", text); gsub(/&amp;/, "\\&", text); gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text)
         if (text == "Start" || text == "Guides" || text == "Reference" || text == "Library" || text == "Inside tare") continue
         gsub(/["\\]/, "\\\\&", text); gsub(/["\\]/, "\\\\&", title)
         if (text != "Manual" || id != "") printf "[\"%s\",\"%s\",\"%s\",\"%s\"],\n", page, title, id, text
       }}' "$out/$html"
  done
  echo '];'
} >"$out/search.js"
echo "$(find "$out" -name '*.html' | wc -l) pages in $out: begin with index.html"
