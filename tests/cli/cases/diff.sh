# Two plans layer by layer: exit 1 if they differ, as text, as JSON and with times.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
profile=sequence=2:64:1024
"$TARE" calibrate "$model" "$calib" --limit 8 --profile $profile -o a.json -q >/dev/null || exit
"$TARE" calibrate "$model" "$calib" --limit 16 --profile $profile -o b.json -q >/dev/null || exit
# without predicted losses, as older tables: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' a.json b.json
"$TARE" build "$model" --fp32 --profile $profile --isa scalar -o float.plan -q >/dev/null || exit
"$TARE" build "$model" --calib a.json --profile $profile --isa scalar -o a.plan -q >/dev/null || exit
"$TARE" build "$model" --calib b.json --profile $profile --isa scalar -o b.plan -q >/dev/null || exit
"$TARE" build "$model" --calib a.json --profile $profile --isa scalar \
  --layer-precisions '/layers.0/q/MatMul:fp32' -o one.plan -q >/dev/null || exit

"$TARE" diff a.plan a.plan
echo "exit $?"
COLUMNS=80 "$TARE" diff a.plan one.plan
echo "exit $?"
"$TARE" diff float.plan a.plan >text
echo "exit $?, $(grep -c 'fp32 -> int8' text) layers from fp32 to int8"
"$TARE" diff a.plan b.plan >text
echo "exit $?, columns: $(sed -n 's/^layer  *//p' text)"
"$TARE" diff a.plan b.plan --json | "$JSON_CHECK" equal is false profiles_differ is false \
  different_layers '>' 5 layers.0.changes.0.what == scales layers.0.changes.0.a is text \
  a.file == a.plan b.layers '>' 20 layers.0.a_ms is missing || exit
"$TARE" diff float.plan a.plan --json | "$JSON_CHECK" layers.1.changes.0.what == precision \
  layers.1.changes.0.a == fp32 layers.1.changes.0.b == int8 || exit
"$TARE" diff float.plan a.plan --times --duration 0 --symbols sequence=8 --json | "$JSON_CHECK" \
  shape == batch=1,sequence=8 iterations == 5 a.run_ms '>' 0 b.run_ms '>' 0 layers.0.a_ms '>' 0 \
  layers.0.b_ms '>' 0 layers length 35 || exit
"$TARE" diff a.plan a.plan --times --duration 0 | sed -n 's/^times  *//p'
"$TARE" diff float.plan a.plan --times "$calib" --limit 3 --duration 0 >text
sed -n 's/^times  *//p' text
grep -c '^A/B  *[0-9.]*, 95 % interval [0-9.]* to [0-9.]*$' text
"$TARE" diff float.plan a.plan --times "$calib" --limit 3 --duration 0 --json | "$JSON_CHECK" samples == 3 \
  shape == '' iterations == 5 ratio '>' 0 ratio_low '>' 0 ratio_high '>' 0 || exit
"$TARE" build "$model" --fp32 --profile sequence=2:3:4 -o short.plan -q >/dev/null || exit
"$TARE" diff short.plan a.plan --times "$calib" --duration 0 2>&1 | sed 's/^.*calib.h5/calib.h5/'
"$TARE" diff a.plan b.plan --times "$calib" --symbols sequence=4

# Plans of other models have no layer in common.
"$TARE" build "$EXAMPLES/digits-conv/digits-conv.onnx" --fp32 --profile samples=1000:2000:3000 \
  -o digits.plan -q >/dev/null || exit
"$TARE" diff float.plan digits.plan --json | "$JSON_CHECK" profiles_differ is true layers.0.b == -1 ||
  exit
"$TARE" diff float.plan digits.plan --times
echo "exit $?"
"$TARE" diff a.plan b.plan --times --symbols sequence=1025
echo "exit $?"
"$TARE" diff a.plan "$model"
echo "exit $?"
"$TARE" diff a.plan missing.plan
echo "exit $?"
"$TARE" diff a.plan
"$TARE" diff a.plan b.plan float.plan
"$TARE" diff a.plan b.plan --duration 3
"$TARE" diff a.plan b.plan --symbols sequence=4
echo "exit $?"
