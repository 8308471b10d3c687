# Channels of other scales: what they cure, and that a float plan with them gives the same bits.
models=$SOURCE/tests/fixtures/smoothing
levels() { # whether the SQNR of a static int8 plan is above a bound: FILE BOUND
  "$TARE" run "$1" "$models/$name.data" --against float.plan --json | tr -d ' \t' |
    awk -F '[:,]' -v bound="$2" '/"sqnr_db"/ { print ($2 > bound ? "above" : "below") " " bound " dB"; exit }'
}
equal() {
  "$TARE" run "$1" "$models/$name.data" --against float.plan --json | tr -d ' \t\n' |
    grep -o '"equal":[a-z]*' | head -1
}
for name in linear conv; do
  model=$models/$name.onnx profile='--profile n=1:16:40'
  echo "== $name"
  "$TARE" build -q "$model" $profile --fp32 -o float.plan >text || exit
  for when in off auto on; do
    "$TARE" calibrate -q "$model" "$models/$name.data" $profile --smoothing "$when" \
      -o "$name.$when.json" | grep '^smoothed'
  done
  for when in off auto; do
    "$TARE" build -q "$model" $profile --calib "$name.$when.json" --layer-precisions '*:int8' \
      -o int8.plan | grep '^smoothing'
    levels int8.plan 10
    levels int8.plan 30
  done
  echo "== $name: left out by the build"
  "$TARE" build -q "$model" $profile --calib "$name.auto.json" --layer-precisions '*:int8' \
    --smoothing none --weight-rounding nearest -o int8.plan | grep '^smoothing'
  levels int8.plan 10
  echo "== $name: in float"
  "$TARE" build -q "$model" $profile --calib "$name.on.json" --layer-precisions '*:fp32' \
    -o same.plan | grep '^smoothing'
  equal same.plan
  echo "== $name: as a quantized model"
  "$TARE" quantize -q "$model" "$models/$name.data" $profile --smoothing auto --method minmax \
    --layer-precisions '*:int8' -o q.onnx | grep '^smoothing'
  "$TARE" build -q q.onnx $profile -o q.plan >text || exit
  levels q.plan 30
  "$TARE" export -q "$model" --calib "$name.auto.json" --layer-precisions '*:fp32' -o q.onnx >text
  "$TARE" build -q q.onnx $profile --fp32 -o q.plan >text || exit
  equal q.plan
done
name=linear model=$models/linear.onnx
echo "== from statistics, by profile"
profiles='--profile n=1:16:20 --profile n=20:24:40'
"$TARE" calibrate -q "$model" "$models/linear.data" $profiles --smoothing auto -o x.stats >text
"$TARE" inspect x.stats | grep '^smoothed'
"$TARE" table -q x.stats --per-profile -o x.json | grep '^smoothed'
"$TARE" build -q "$model" $profiles --calib x.json --small-layers int8 -o x.plan |
  grep '^smoothing\|^rounding'
"$TARE" build -q "$model" $profiles --fp32 -o float.plan >text
levels x.plan 30
"$TARE" inspect x.plan --layers third | grep smoothing
"$TARE" inspect x.plan --json | tr -d ' \t\n' | grep -o '"smoothed":[a-z]*' | sort | uniq -c |
  sed 's/^ *//'
echo "== a tensor that the model has no place for"
sed 's/^  "smoothing": {/&"x": {"exponents": [1, 2], "min": [-1], "max": [2], "rms": 1}, /' linear.auto.json >gone.json
"$TARE" build "$model" --profile n=1:16:40 --calib gone.json --small-layers int8 -o y.plan | grep '^smoothing'
"$TARE" build -q "$model" --profile n=1:16:40 --calib gone.json --small-layers int8 -o y.plan --json | tr -d ' \t\n' |
  grep -o '"unused_smoothings":[^]]*\]'
"$TARE" export "$model" --calib gone.json -o y.onnx | grep '^smoothing'
echo "== formats"
"$TARE" table linear.auto.json -o x.cache >text
"$TARE" table -q linear.auto.json -o again.json >text
cmp linear.auto.json again.json
echo "== malformed"
exec 2>&1
broken() {
  sed "s/^  \"smoothing\": {/&\"broken\": $1,/" linear.auto.json >bad.json
  "$TARE" build "$model" --calib bad.json -o z.plan --profile n=1:16:40
  echo "exit $?"
}
broken '7'
broken '{"exponents": [], "min": [-1], "max": [1], "rms": 1}'
broken '{"exponents": [25], "min": [-1], "max": [1], "rms": 1}'
broken '{"exponents": [0.5], "min": [-1], "max": [1], "rms": 1}'
broken '{"exponents": ["1"], "min": [-1], "max": [1], "rms": 1}'
broken '{"exponents": [1], "min": [-1, -1], "max": [1], "rms": 1}'
broken '{"exponents": [1], "min": [1], "max": [-1], "rms": 1}'
broken '{"exponents": [1], "min": [0], "max": [0], "rms": 1}'
broken '{"exponents": [1], "min": [-1], "max": [1e300], "rms": 1}'
broken '{"exponents": [1], "min": [-1], "rms": 1}'
broken '{"exponents": [1], "min": [-1], "max": [1]}'
broken '{"exponents": [1], "min": [-1], "max": [1], "rms": 0}'
sed 's/^  "smoothing": {/&"n": {"exponents": [1], "min": [-1], "max": [2], "rms": 1}, /' linear.auto.json >bad.json
"$TARE" build "$model" --calib bad.json -o z.plan --profile n=1:16:40
echo "exit $?"
echo "== misuse"
"$TARE" calibrate "$model" "$models/linear.data" --smoothing always -o z.json
echo "exit $?"
"$TARE" calibrate "$model" "$models/linear.data" --smoothing auto -o z.cache
echo "exit $?"
"$TARE" build "$model" --smoothing auto -o z.plan
echo "exit $?"
