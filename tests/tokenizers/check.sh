#!/bin/sh
# The tokens of fixtures are those of the original library, and malformed tokenizers are refused.
# Usage: check.sh PRINT_TOKENS FIXTURES
set -eu
program=$1
fixtures=$2
for name in bytes pieces unigram_first; do
  "$program" "$fixtures/$name.json" "$fixtures/lines.jsonl" | cmp - "$fixtures/$name.ids"
done
"$program" "$fixtures/unigram.json" "$fixtures/lines.jsonl" pair | cmp - "$fixtures/unigram.pairs.ids"
texts=$(mktemp --suffix .jsonl)
trap 'rm -f "$texts"' EXIT
head -n 3 "$fixtures/lines.jsonl" >"$texts"
refuse() { # FILE MESSAGE
  message=$("$program" "$fixtures/$1" "$texts" 2>&1 >"$texts.out") && {
    echo "$1 is accepted" >&2
    exit 1
  }
  rm -f "$texts.out"
  case $message in
    print_tokens:*"$2"*) ;;
    *) echo "$1: expected '$2', got '$message'" >&2 && exit 1 ;;
  esac
}
refuse bad_added.json "added token: 'a': 'id' is 7, but the vocabulary has 0"
refuse bad_base64.json "'precompiled_charsmap' is not base64"
refuse bad_charsmap.json "'precompiled_charsmap' declares 4000 bytes of rules, it has 16"
refuse bad_cut.json "not a JSON object"
refuse bad_deep.json "not a JSON object"
refuse bad_dropout.json "'dropout' is for training"
refuse bad_growth.json "line 1: the tokenizer makes more than 16777216 bytes of the text"
refuse bad_huge_id.json "token 'a': its number is 1.0000000000000001e+300: expected a whole number"
refuse bad_id.json "token 'a': its number is -1: expected a whole number from 0"
refuse bad_merge.json "merge 0 of 'a' and 'b' has a token that is not in the vocabulary"
refuse bad_model.json "model 'Other' is not supported: expected one of WordPiece, BPE, WordLevel, Unigram"
refuse bad_normalizer.json "normalizer 'Nmt' is not supported: expected one of BertNormalizer, NFC"
refuse bad_processor.json "post-processor: type 'Other' is not supported: expected one of TemplateProcessing"
refuse bad_regex.json "the expression '(a' is malformed: missing closing parenthesis"
refuse bad_score.json "token 0 is not a pair of text and score"
refuse bad_slow.json "line 3: a regular expression of the tokenizer takes too long for the text"
refuse bad_template.json "sequence 'B' is not one of those given"
refuse bad_truncation.json "'truncation': unknown strategy 'Some'"
refuse bad_unk_id.json "'unk_id' is 1, the vocabulary has 1 tokens"
refuse bad_unknown.json "the unknown token '[UNK]' is not in the vocabulary"
refuse bad_utf8.json "not UTF-8 at byte 39"
refuse bad_zero.json 'strings with \u0000 are not supported'

# Models of SentencePiece, where the build reads them.
sentence() {
  case $("$program" "$fixtures/$1" "$texts" 2>&1) in
    *"$1: not a SentencePiece model, or a damaged one" | *"this build cannot read SentencePiece models"*) ;;
    *) echo "$1: another message, or none" >&2 && exit 1 ;;
  esac
}
sentence bad_cut.model
sentence bad_empty.model
sentence bad_garbage.model
sentence bad_length.model
sentence bad_pieces.model
