# Profiles for the lengths of data, and those of statistics that can share scales.
model=$EXAMPLES/intents-mini/intents-mini.onnx
"$TARE" profiles "$EXAMPLES/digits-conv/calib" --rate 8000
"$TARE" profiles "$EXAMPLES/digits-conv/calib/0000.wav" --rate 8000 \
  --model "$EXAMPLES/digits-conv/digits-conv.onnx" | sed -n '/^symbol/p; /^--profile/p'
echo "== count"
"$TARE" profiles "$EXAMPLES/intents-mini/calib.h5" --model "$model" --count 3 --min 1 --max 512
"$TARE" profiles "$EXAMPLES/intents-mini/calib.h5" --model "$model" --json |
  "$JSON_CHECK" source == data symbol == sequence fulfilled is true counts.0.profiles == 1 chosen length 8 || exit
echo "== latency"
small=$SMALL/intents-mini/intents-mini.onnx
"$TARE" build "$small" --fp32 --profile sequence=2:64:512 -o x.plan -q >/dev/null || exit
"$TARE" profiles "$SMALL/intents-mini/calib.h5" --model "$small" --plan x.plan --count 3 --threads 1 --json |
  "$JSON_CHECK" latency.plan == x.plan latency.threads == 1 latency.points length 9 latency.points.0.length == 2 \
  latency.points.8.length == 106 latency.points.0.ms '>' 0 counts.2.padding '<' 0.5 counts.2.ms '>' 0 \
  chosen length 3 || exit
"$TARE" profiles "$SMALL/intents-mini/calib.h5" --model "$small" --plan x.plan --count 2 --threads 1 | sed -n '/^latency/p; /^profiles/p'
"$TARE" profiles "$SMALL/intents-mini/calib.h5" --plan "$small" --count 3 --threads 1 --json 2>said |
  "$JSON_CHECK" latency.points.8.length == 106 counts.2.ms '>' 0 chosen length 3 || exit
sed "s|$SOURCE|.|g" said
"$TARE" profiles "$SMALL/digits-conv/calib" --rate 8000 --plan "$SMALL/digits-conv/digits-conv.onnx" --count 2 --json -q |
  "$JSON_CHECK" symbol == samples counts.1.ms '>' 0 chosen length 2 || exit
echo "== pasted"
flags=$("$TARE" profiles "$EXAMPLES/intents-mini/calib.h5" --model "$model" --count 3 | sed -n 's/^--profile/&/p' | tr -d "'\\\\")
"$TARE" calibrate "$model" "$EXAMPLES/intents-mini/calib.h5" $flags -q -o x.stats | grep '^batch\|^sequence'
echo "== statistics"
"$TARE" profiles x.stats
"$TARE" profiles x.stats --within 0 --json | "$JSON_CHECK" source == statistics profiles length 3 chosen length 3 || exit
"$TARE" profiles x.stats --within 1000 --json | "$JSON_CHECK" chosen length 1 profiles.2.group == 0 || exit
echo "== refused"
"$TARE" build "$model" --fp32 --profile sequence=2:64:100 -o short.plan -q >/dev/null || exit
for wrong in "x.stats --count 2" "x.stats x.stats" "$EXAMPLES/digits-conv/calib --within 3" "" \
  "$EXAMPLES/intents-mini/calib.h5" "$EXAMPLES/intents-mini/calib.h5 --model $model --symbol length" \
  "$EXAMPLES/intents-mini/calib.h5 --model $model --max 10" "$EXAMPLES/digits-conv/calib --count 9 --most 3" \
  "$EXAMPLES/intents-mini/calib.h5 --model $model --min 50" "x.stats --plan x.plan" \
  "$EXAMPLES/intents-mini/calib.h5 --model $model --plan $EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib --plan x.plan" \
  "$EXAMPLES/intents-mini/calib.h5 --model $model --plan short.plan"; do
  "$TARE" profiles $wrong 2>message
  echo "exit $?"
  grep -v '^Try' message | sed "s|$SOURCE|.|g" >&2
done
exit 0
