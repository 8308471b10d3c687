# A table of another model is refused, in either form.
"$TARE" calibrate "$EXAMPLES/intents-mini/intents-mini.onnx" "$EXAMPLES/intents-mini/calib.h5" \
  --limit 4 -o other.json -q >text || exit
"$TARE" table other.json -o other.cache -q >text || exit
for table in other.json other.cache; do
  "$TARE" build "$EXAMPLES/digits-conv/digits-conv.onnx" --calib $table \
    --profile samples=1000:2000:3000 -o digits.plan
  echo "exit $?"
done
ls
