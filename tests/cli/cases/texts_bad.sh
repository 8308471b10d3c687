# What is said of texts that cannot be read, and of options that do not fit.
fixtures=$SOURCE/tests/fixtures/tokenizers
words=$fixtures/words.json
model=$EXAMPLES/intents-mini/intents-mini.onnx
look() {
  "$TARE" inspect "$@" --model "$model" 2>&1 | sed '/^Try/d'
}
printf 'my card\n  \nis lost\n' >empty.txt
printf 'text,why\n,1\nmy,1,2\nis lost,0\n' >rows.csv
printf 'text,why\n"my card,1\n' >quote.csv
printf 'text\nmy "card"\n' >quote.tsv
printf 'my \377\n' >latin.txt
printf '{"body": "my card"}\n' >body.jsonl
printf '{"text": "my card"\n' >cut.jsonl
: >nothing.csv
echo "-- samples"
look empty.txt --tokenizer "$words"
look empty.txt --tokenizer "$words" --skip-bad
look rows.csv --tokenizer "$words" --skip-bad
look latin.txt --tokenizer "$words"
look body.jsonl --tokenizer "$words"
look cut.jsonl --tokenizer "$words"
echo "-- files"
look quote.csv --tokenizer "$words"
look quote.tsv --tokenizer "$words"
look nothing.csv --tokenizer "$words"
echo "-- options"
look rows.csv --tokenizer "$words" --text body
look rows.csv --tokenizer "$words" --text-pair reply
look rows.csv --tokenizer "$words" --labels label
look rows.csv --tokenizer "$words" --text-files
look empty.txt --tokenizer "$words" --text body
look empty.txt --tokenizer "$words" --special-tokens bos
look empty.txt --tokenizer "$words" --max-tokens 0
look empty.txt --text body
echo "-- without a tokenizer"
look rows.csv
look empty.txt
look body.jsonl
echo "-- tokenizers"
look empty.txt --tokenizer none.json
look empty.txt --tokenizer none.model
look empty.txt --tokenizer empty.txt
look empty.txt --tokenizer "$fixtures/bad_model.json"
look empty.txt --tokenizer "$fixtures/bad_normalizer.json"
"$TARE" calibrate "$model" empty.txt --tokenizer "$words" -q -o x.stats 2>&1
echo "exit $?"
"$TARE" calibrate "$EXAMPLES/digits-conv/digits-conv.onnx" empty.txt --tokenizer "$words" -q -o x.stats 2>&1
echo "exit $?"
ls
