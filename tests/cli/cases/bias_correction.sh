# Biases that make up for the rounding of weights: what is shown, and in which files they are.
EXAMPLES=$SMALL real=$SOURCE/examples/intents-mini
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini/calib.h5
profile='--profile sequence=2:64:512'
corrected() {
  tr -d ' \t\n' | grep -o '"corrected":[a-z0-9]*' | sort | uniq -c | sed 's/^ *//'
}
against_float() { # whether the SQNR of a plan is above that of another one: PLAN PLAN
  for plan; do
    "$TARE" run "$plan" "$data" --limit 20 --against "$model" --json | tr -d ' \t' |
      awk -F '[:,]' '/"sqnr_db"/ { print $2; exit }'
  done | awk 'NR == 1 { first = $1 } NR == 2 { print (first > $1 ? "more" : "less") " accurate" }'
}
"$TARE" calibrate -q "$model" "$data" --limit 20 $profile --bias-correction on -o x.stats |
  grep '^corrected'
"$TARE" inspect x.stats | grep '^corrected'
"$TARE" inspect x.stats --json | corrected
"$TARE" table -q x.stats -o x.json | grep '^corrected'
"$TARE" calibrate -q "$model" "$data" --limit 20 $profile --bias-correction on --threads 2 -o y.stats >text
cmp x.stats y.stats
echo "== build"
"$TARE" build -q "$model" --calib x.json -o x.plan | grep '^correction\|^rounding'
"$TARE" inspect x.plan --layers '/head/MatMul' | grep '^layer \|correction\|rounding'
"$TARE" inspect x.plan --json | corrected
echo "== to nearest, 16-bit activations"
"$TARE" calibrate -q "$model" "$data" --limit 20 $profile --bias-correction on \
  --weight-rounding nearest -o n.json | grep '^corrected'
"$TARE" calibrate -q "$model" "$data" --limit 20 $profile --weight-rounding nearest -o o.json >text
for table in n o; do
  "$TARE" build -q "$model" --calib $table.json --layer-precisions '*:int16-rows' -o $table.plan |
    grep '^correction\|^rounding'
done
against_float n.plan o.plan
echo "== quantized models"
"$TARE" export -q "$model" --calib n.json -o n.onnx | grep '^correction'
"$TARE" quantize -q "$real/intents-mini.onnx" "$real/calib.h5" --limit 2 $profile --method minmax --bias-correction on \
  -o q.onnx | grep '^correction'
echo "== of another model"
sed 's/^  "input_means": {/&"gone": {"hash": "0000000000000000", "means": [1]}, /' n.json >gone.json
"$TARE" build "$model" --calib gone.json -o y.plan 2>&1 | grep 'correction'
"$TARE" build -q "$model" --calib gone.json -o y.plan --json | tr -d ' \t\n' |
  grep -o '"unused_corrections":[^]]*\]'
echo "== formats"
"$TARE" table x.json -o x.cache 2>&1 | grep -o 'means of inputs'
echo "== misuse"
exec 2>&1
"$TARE" calibrate "$model" "$data" --bias-correction auto -o z.json
echo "exit $?"
"$TARE" calibrate "$model" "$data" --bias-correction on -o z.cache
echo "exit $?"
sed 's/"means": \[[^,]*,/"means": [null,/' n.json >bad.json
"$TARE" build "$model" --calib bad.json -o z.plan
echo "exit $?"
