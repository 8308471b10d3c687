# Messages say what to do next where data or a model are not what a command takes them for.
model=$EXAMPLES/intents-mini/intents-mini.onnx
tried() {
  "$TARE" "$@"
  echo "exit $?"
}
echo "== an input that the file has by another name"
tried calibrate "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/intents-mini/calib.h5" -o x.stats
tried inspect "$EXAMPLES/intents-mini/eval.h5" --model "$model" --labels classes
tried inspect "$EXAMPLES/intents-mini/eval.h5" --model "$model" --map input_ids=tokens
echo "== a folder without a model"
mkdir folder arrays || exit
cp "$EXAMPLES/intents-mini/calib.h5" folder || exit
cp "$SOURCE/tests/fixtures/arrays/good_lengths.npz" arrays || exit
tried inspect folder
tried profiles arrays
echo "== data and model in the wrong order"
tried calibrate folder "$model" -o x.stats
echo "== names with blanks"
tried calibrate "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib/0000.wav" --rate 8000 \
  -o 'of one.stats' | grep '^warnings\|^exit'
echo "== a bound that means nothing"
tried tune "$model" folder --eval folder --labels labels --metric accuracy --max-drop 1 -o x.plan
