# A merged table carries the profiles of its statistics, and a plan takes them.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 8 \
  --profile samples=1000:9000:16000 --profile samples=16001:20000:160000 -o digits.stats -q >text || exit
summary() {
  sed -n '/^columns\|^profile/p' text
}
"$TARE" table digits.stats -o digits.json >text || exit
summary
"$TARE" table digits.stats --per-profile -o each.json >text || exit
summary
"$TARE" inspect digits.json >text || exit
summary
"$TARE" inspect digits.json --json | "$JSON_CHECK" columns == 1 profiles length 2 || exit
"$TARE" build "$model" --calib digits.json -o digits.plan >text || exit
summary
"$TARE" build "$model" --calib each.json -o each.plan >text || exit
summary
"$TARE" table digits.json -o digits.cache >text || exit
"$TARE" inspect digits.cache >text || exit
summary
"$TARE" build "$EXAMPLES/intents-mini/intents-mini.onnx" --calib digits.json -o none.plan
echo "exit $?"
