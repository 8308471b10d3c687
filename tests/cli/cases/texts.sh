# Texts through a tokenizer: what is read from each kind of file, and that all give the same statistics.
EXAMPLES=$SMALL
words=$SOURCE/tests/fixtures/tokenizers/words.json
model=$EXAMPLES/intents-mini/intents-mini.onnx
mark='\357\273\277' # byte order mark
printf "${mark}text,why,other\r\n\"My card, \"\"lost\"\"\",1,x\r\n\r\n\"please\r\ncancel\",0,y\r\nmy transfer,1,\"\"\r\n" >a.csv
printf 'why\tbody\n1\t"my card, ""lost"""\n0\tplease cancel\n1\tmy transfer\n' >a.tsv
printf "${mark}My card, \"lost\"\r\n\r\n\r\nplease cancel\r\nmy transfer" >a.txt
printf '{"body": "my card, \\"lost\\"", "why": "1 2 3 4 5 6"}\n\n{"why": "7 8", "body": "please\\ncancel"}\n{"body": "my transfer", "why": "9 0"}\n' >a.jsonl
gzip -k a.txt
"$TARE" inspect a.csv --tokenizer "$words" --labels why
calibrate() { # NAME DATA OPTION...
  name=$1
  shift
  "$TARE" calibrate "$model" "$@" --tokenizer "$words" --profile sequence=1:8:32 -q -o "$name.stats" \
    >printed || exit
  cmp "$name.stats" csv.stats && echo "$name: the same"
}
calibrate csv a.csv
calibrate tsv a.tsv --text body
calibrate txt a.txt
calibrate gz a.txt.gz
calibrate jsonl a.jsonl --text body
for i in 0 1 2; do
  "$TARE" calibrate "$model" a.csv --tokenizer "$words" --profile sequence=1:8:32 -q --shard $i/3 \
    --weight-rounding nearest -o $i.stats >printed || exit
done
"$TARE" calibrate "$model" a.csv --tokenizer "$words" --profile sequence=1:8:32 -q \
  --weight-rounding nearest -o one.stats >printed || exit
"$TARE" merge [0-2].stats -q -o all.stats >printed && cmp all.stats one.stats && echo "shards: the same"
"$TARE" run "$model" a.jsonl --text body --labels why --tokenizer "$words" --profile sequence=1:8:32 \
  --metric accuracy --json | "$JSON_CHECK" samples == 3 metric.name == accuracy || exit
"$TARE" inspect a.txt --tokenizer "$words" --text-files
"$TARE" inspect a.csv --tokenizer "$words" --max-tokens 3
printf 'text,reply\nmy card,please cancel\n' >pairs.csv
"$TARE" inspect pairs.csv --tokenizer "$SOURCE/tests/fixtures/tokenizers/words_pairs.json" --text-pair reply
