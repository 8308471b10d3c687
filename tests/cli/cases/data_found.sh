# What is found where, what is cut, and what cannot be read, said in words.
model=$EXAMPLES/digits-conv/digits-conv.onnx
eval=$EXAMPLES/digits-conv/eval
mkdir -p deep/a/b deep/c deep/.hidden empty/sub
cp "$eval/0000.ogg" deep/a/b/0.ogg
cp "$eval/0001.ogg" deep/c/1.ogg
cp "$eval/0007.ogg" deep/2.ogg
cp "$eval/0000.ogg" deep/.hidden/3.ogg
ln -s .. deep/a/up
"$TARE" run "$model" deep --rate 8000 --json -q --save-outputs deep.h5 | "$JSON_CHECK" samples == 3 ||
  exit
"$TARE" run "$model" empty
echo "exit $?"
printf 'path\tdigits\n2.ogg\t%s\n' "$(sed -n 's/^0007.ogg,\([^,]*\),.*/\1/p' "$eval/labels.csv")" \
  >deep/own.tsv
"$TARE" run "$model" deep/own.tsv --rate 8000 --labels digits --metric ctc-error \
  --alphabet 0123456789 --json -q | "$JSON_CHECK" samples == 1 metric.value '<' 0.5 || exit
"$TARE" run "$model" deep/own.tsv --rate 8000 --labels digit --metric ctc-error \
  --alphabet 0123456789
echo "exit $?"
printf 'path,frames\n2.ogg,%s\n' "$(yes 0 | head -n 4000 | tr '\n' ' ' | sed 's/ $//')" >deep/frames.csv
"$TARE" run "$model" deep/frames.csv --rate 8000 --labels frames --metric accuracy --json -q |
  "$JSON_CHECK" samples == 1 metric.name == accuracy metric.value '>' 0.3 metric.value '<' 1 || exit
printf 'path,class\n2.ogg,cat\n' >deep/names.csv
"$TARE" run "$model" deep/names.csv --rate 8000 --labels class --metric accuracy -q
echo "exit $?"
printf '{"audio_filepath": "2.ogg"}\n' >deep/own.jsonl
"$TARE" inspect deep/own.jsonl --rate 8000
echo "exit $?"
echo "# cut and padded"
"$TARE" run "$model" deep --rate 8000 --profile samples=1000:8000:12000 --outside nearest >text
"$TARE" run "$model" deep --rate 8000 --profile samples=1000:8000:12000 --outside nearest --json -q |
  "$JSON_CHECK" cut == 3 padded == 0 lost '>' 0.1 || exit
"$TARE" calibrate "$model" deep --rate 8000 --profile samples=1000:60000:90000 --fit opt -o x.stats \
  >text
"$TARE" compare "$model" deep --eval deep --rate 8000 --profile samples=1000:30000:90000 --fits opt \
  --methods minmax >text
echo "# options that fit no data"
"$TARE" calibrate "$EXAMPLES/intents-mini/intents-mini.onnx" "$EXAMPLES/intents-mini/calib.h5" \
  --rate 8000 -o x.stats >text
echo "exit $?"
"$TARE" calibrate "$model" deep --rate 8000 --labels digits -o x.stats
echo "exit $?"
echo "# profiles that are never chosen"
"$TARE" build "$model" --fp32 --profile samples=1000:8000:90000 --profile samples=2000:4000:8000 \
  -o x.plan >text
"$TARE" run "$model" deep --rate 8000 -v --profile samples=1000:8000:90000 >text
