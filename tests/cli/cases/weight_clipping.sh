# Weights with scales of a table: what is shown, in which files they are, and what is refused.
EXAMPLES=$SMALL real=$SOURCE/examples/intents-mini
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini/calib.h5
profile='--profile sequence=2:64:512'
clipped() {
  tr -d ' \t\n' | grep -o '"clipped":[a-z0-9]*' | sort | uniq -c | sed 's/^ *//'
}
"$TARE" calibrate -q "$model" "$data" --limit 8 $profile --weight-clipping on -o x.stats |
  grep '^clipped'
"$TARE" inspect x.stats | grep '^clipped'
"$TARE" inspect x.stats --json | clipped
"$TARE" table -q x.stats -o x.json | grep '^clipped'
"$TARE" calibrate -q "$model" "$data" --limit 8 $profile --weight-clipping on --threads 2 -o y.json >text
"$TARE" table -q y.json -o z.json >text
cmp y.json z.json
echo "== build"
"$TARE" build -q "$model" --calib x.json -o x.plan | grep '^clipping\|^rounding'
"$TARE" inspect x.plan --layers '/head/MatMul' | grep '^layer \|clipping\|rounding'
"$TARE" inspect x.plan --json | clipped
"$TARE" build -q "$model" --calib x.json -o x.plan --weight-rounding nearest | grep '^clipping\|^rounding'
"$TARE" inspect x.plan --layers '/head/MatMul' | grep '^layer \|clipping\|rounding'
echo "== float layers need none"
"$TARE" build "$model" --calib x.json --layer-precisions '*:fp32' -o f.plan | grep '^clipping'
echo "== to nearest"
"$TARE" calibrate -q "$model" "$data" --limit 2 $profile --weight-clipping on \
  --weight-rounding nearest -o n.json | grep '^clipped'
"$TARE" build -q "$model" --calib n.json -o n.plan | grep '^clipping\|^rounding'
echo "== quantized models"
"$TARE" export -q "$model" --calib x.json -o x.onnx | grep '^clipping\|^rounding'
"$TARE" quantize -q "$real/intents-mini.onnx" "$real/calib.h5" --limit 2 $profile --method minmax --weight-clipping on \
  -o q.onnx | grep '^clipping'
echo "== weights of another model"
sed 's/^  "clipping": {/&"gone": {"hash": "0000000000000000", "scales": [1]}, /' n.json >gone.json
"$TARE" build "$model" --calib gone.json -o y.plan 2>&1 | grep 'clipping'
"$TARE" build -q "$model" --calib gone.json -o y.plan --json | tr -d ' \t\n' |
  grep -o '"unused_clippings":[^]]*\]'
echo "== formats"
"$TARE" table x.json -o x.cache 2>&1 | grep -o 'clipped weights'
echo "== misuse"
exec 2>&1
"$TARE" calibrate "$model" "$data" --weight-clipping always -o z.json
echo "exit $?"
"$TARE" calibrate "$model" "$data" --weight-clipping on -o z.cache
echo "exit $?"
sed 's/"scales": \[[^,]*,/"scales": [0,/' n.json >bad.json
"$TARE" build "$model" --calib bad.json -o z.plan
echo "exit $?"
