#!/bin/sh
# manual.sh SOURCE: mandoc finds nothing wrong with the pages of the manual.
set -eu
command -v mandoc >/dev/null || {
  echo "skipped: no mandoc (apt-get install mandoc)"
  exit 77
}
mandoc -T lint -W warning "$1"/docs/man/*.1
