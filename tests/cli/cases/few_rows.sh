# Layers behind pooling see one row of a sample: what other samples than those of the calibration lose.
models=$SOURCE/tests/fixtures/pooled model=$SOURCE/tests/fixtures/pooled/pooled.onnx
profile='--profile n=1,t=4:20:60'
judge() { # whether the SQNR of a plan on samples that were not calibrated is above each bound: PLAN BOUND...
  sqnr=$("$TARE" run "$1" "$models/others" --against "$model" --json | tr -d ' \t' |
    awk -F '[:,]' '/"sqnr_db"/ { print ($2 == "null" ? 999 : $2); exit }') # null: equal, as all layers are in float
  shift
  for bound; do
    awk "BEGIN { print ($sqnr > $bound ? \"above\" : \"below\") \" $bound dB\" }"
  done
}
"$TARE" calibrate "$model" "$models/calib" "$models/calib" $profile --all-tensors -o x.json | grep 'few rows'
echo "== by default"
"$TARE" build -q "$model" $profile --calib x.json -o x.plan | grep '^layers\|^row scales'
"$TARE" build -q "$model" $profile --calib x.json -o x.plan --json | tr -d '\t\n' |
  grep -o '"reason": *"[^"]*rows[^"]*"' | sort | uniq -c | sed 's/^ *//'
judge x.plan 30 40
echo "== with one scale"
"$TARE" build -q "$model" $profile --calib x.json --layer-precisions '*gate:int8,head:int8' -o y.plan >text
judge y.plan 30 40
"$TARE" build -q "$model" $profile --calib x.json --symmetric -o y.plan | grep '^layers\|^row scales'
echo "== tuned on the same samples"
"$TARE" tune -q "$model" "$models/calib" "$models/calib" $profile --sqnr 25 -o t.plan >text || exit
judge t.plan 25 30
echo "== a table that does not say how many rows there were"
sed 's/, "rows_per_sample": \[[^]]*\]//' x.json >old.json
"$TARE" build -q "$model" $profile --calib old.json -o y.plan | grep '^layers\|^row scales'
judge y.plan 30 40
echo "== samples that weigh alike do not say either"
"$TARE" calibrate -q "$model" "$models/calib" "$models/calib" $profile --weight sample -o w.json >text 2>&1
grep -c rows_per_sample w.json
echo "== smoothing leaves them alone"
"$TARE" calibrate -q "$model" "$models/calib" "$models/calib" $profile --smoothing on -o s.json | grep -c '^smoothed'
echo "== by profile, and as numbers of many samples"
"$TARE" calibrate -q "$model" "$models/calib" --profile n=1,t=4:12:15 --profile n=1,t=16:20:60 -o x.stats >text
"$TARE" table -q x.stats --per-profile -o p.json | grep 'few rows'
grep -o '"name": "means".*' p.json | grep -o '"rows_per_sample": [^]]*]'
sed 's/"samples": [0-9]*/"samples": 600/' x.json >many.json
for table in x.json many.json; do
  echo "== exported by $table"
  "$TARE" export -q "$model" --calib $table -o q.onnx 2>&1 | grep '^layer\|^[a-z_]* *Conv\|^head'
  "$TARE" export -q "$model" --calib $table --row-scales int16 -o q.onnx 2>&1 | grep -c 'fp32'
done
"$TARE" export -q "$model" --calib x.json --row-scales dynamic -o q.onnx 2>&1 | grep '^first_gate'
echo "== malformed"
sed 's/"rows_per_sample": \[[^]]*\]/"rows_per_sample": [-1]/' x.json >bad.json
"$TARE" build "$model" $profile --calib bad.json -o z.plan 2>&1
echo "exit $?"
echo "== few samples: others may exceed the scales of all layers"
"$TARE" calibrate -q "$model" "$models/calib" $profile -o five.json >text || exit
"$TARE" build -q "$model" $profile --calib five.json -o x.plan | grep '^layers\|^row scales'
"$TARE" build -q "$model" $profile --calib five.json -o x.plan --json | tr -d '\t\n' |
  grep -o '"reason": *"few samples[^"]*"' | sort | uniq -c | sed 's/^ *//'
"$TARE" build -q "$model" $profile --calib five.json --layer-precisions '*:int8' -o y.plan | grep '^layers'
