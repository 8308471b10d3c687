# The weights by which recurrent layers multiply their input are rounded by least squares too.
models=$SOURCE/tests/fixtures/recurrent model=$SOURCE/tests/fixtures/recurrent/recurrent.onnx
profile='--profile n=2,t=4:16:40'
calibrate() { "$TARE" calibrate "$model" "$models/calib" $profile --raise-layers off "$@" >text 2>err || cat err; }
judge() { # the SQNR of each output on other samples, a line each: NAME OPTION...
  name=$1
  shift
  "$TARE" build "$model" --calib x.json "$@" -o "$name.plan" | grep '^layers\|^rounding'
  "$TARE" run "$name.plan" "$models/others" --against "$model" --json >text || exit
  tr -d '\t\n' <text | sed 's/.*"outputs"//' | grep -o '"sqnr_db":[0-9.]*' >"$name.db"
}
calibrate -o x.json
judge table
judge nearest --weight-rounding nearest
echo "== each output gains 1 dB or more: last has 6 dB, sequence 2, product 3"
paste -d : nearest.db table.db | awk -F : '{ print ($4 >= $2 + 1 ? "yes" : "no") }'
echo "== the same with threads, by statistics, and without biases to correct"
calibrate --threads 3 -o y.json
cmp x.json y.json
calibrate -o x.stats
"$TARE" table -q x.stats -o y.json >text
"$TARE" build -q "$model" --calib y.json -o y.plan >text
cmp table.plan y.plan
calibrate --bias-correction on -o z.json
echo "layers with corrected biases: $("$TARE" build -q "$model" --calib z.json -o z.plan --json | grep -c '"corrected":.true')"
