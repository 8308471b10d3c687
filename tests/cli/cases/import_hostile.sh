# Quantized models that are malformed or hard to import: each command ends with a sentence.
for model in "$SOURCE"/tests/fixtures/qdq/hostile/*.onnx; do
  name=$(basename "$model")
  "$TARE" import-qdq "$model" -o clean.onnx --table clean.json -q >text
  imported=$?
  "$TARE" check "$model" --target onnxruntime -q >text
  echo "$name: import-qdq $imported check $?"
  if [ $imported -eq 0 ]; then
    "$TARE" inspect clean.onnx -q >text || echo "$name: its float model cannot be read"
  fi
  rm -f clean.*
done
