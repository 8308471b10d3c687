# A table of another model is refused, in either form; --force accepts it where its tensors fit.
"$TARE" calibrate "$EXAMPLES/intents-mini/intents-mini.onnx" "$EXAMPLES/intents-mini/calib.h5" \
  --limit 4 -o other.json -q >text || exit
"$TARE" calibrate "$EXAMPLES/intents-mini/intents-mini.onnx" "$EXAMPLES/intents-mini/calib.h5" \
  --limit 4 -o other.cache -q >text || exit
model=$EXAMPLES/digits-conv/digits-conv.onnx
for table in other.json other.cache; do
  "$TARE" build "$model" --calib $table --profile samples=1000:2000:3000 -o digits.plan
  echo "exit $?"
done
"$TARE" build "$model" --calib other.json --profile samples=1000:2000:3000 -o digits.plan --force -q
echo "exit $?"
# the same model, saved again: the same tensors, another hash
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 4 -o digits.json -q >text ||
  exit
sed 's/"hash": "[0-9a-f]*"/"hash": "0123456789abcdef"/' digits.json >saved.json
"$TARE" build "$model" --calib saved.json -o digits.plan -q
echo "exit $?"
"$TARE" build "$model" --calib saved.json -o digits.plan --force >text
echo "exit $?"
ls
