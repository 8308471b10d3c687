#!/bin/sh
# Every path of the source tree that a document names in backticks exists.
# usage: doc_paths.sh SOURCE-FOLDER
cd "$1" || exit 1
status=0
for doc in README.md CONTRIBUTING.md SECURITY.md bench/README.md examples/README.md docs/*.md; do
  for path in $(grep -o '`[a-z]*/[A-Za-z0-9_./-]*`' "$doc" | tr -d '`' | sort -u); do
    case $path in
    base/* | shapes/* | datasets/* | graph/* | kernels/* | engine/* | calib/* | tools/* | \
      include/* | tests/* | docs/* | cmake/* | bench/* | examples/*)
      [ -e "$path" ] || { echo "$doc names $path, which does not exist" && status=1; } ;;
    esac
  done
done
exit $status
