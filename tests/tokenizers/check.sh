#!/bin/sh
# The tokens of fixtures are those of the original library, and malformed tokenizers are refused.
# Usage: check.sh PRINT_TOKENS FIXTURES
set -eu
program=$1
fixtures=$2
for name in bytes pieces; do
  "$program" "$fixtures/$name.json" "$fixtures/lines.jsonl" | cmp - "$fixtures/$name.ids"
done
refuse() {
  message=$("$program" "$fixtures/$1" "$fixtures/lines.jsonl" 2>&1) && {
    echo "$1 is accepted" >&2
    exit 1
  }
  case $message in
    *"$2"*) ;;
    *) echo "$1: expected '$2', got '$message'" >&2 && exit 1 ;;
  esac
}
refuse bad_model.json "model 'Other' is not supported"
refuse bad_merge.json "merge 0 of 'a' and 'b' has a token that is not in the vocabulary"
refuse bad_id.json "token 'a': its number is -1: expected a whole number from 0"
refuse bad_normalizer.json "normalizer 'Nmt' is not supported"
refuse bad_utf8.json "not UTF-8 at byte 39"
