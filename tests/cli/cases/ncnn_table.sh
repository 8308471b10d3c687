# ncnn's tables: they have scales of layers and weights, and need the model.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
other=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/intents-mini/calib.h5" --limit 4 --profile sequence=2:64:1024 \
  -o x.stats -q >text || exit
"$TARE" table x.stats -o x.table
echo "exit $?"
"$TARE" table x.stats -o x.table --model "$model"
echo "exit $?"
cut -d ' ' -f 1 x.table
"$TARE" table x.stats -o x.table --model "$model" --json -q >text
"$JSON_CHECK" format == ncnn layers.written '>' 10 layers.without == 0 layers.other '>' 3 \
  layers.unread '>' 0 <text
# the way back
"$TARE" table x.table -o back.json --model "$model"
"$TARE" table back.json -o again.table --model "$model" -q >text
cmp x.table again.table
"$TARE" table x.table -o x.cache --json | "$JSON_CHECK" lost.0 == 'scales of weights'
"$TARE" build "$model" --calib x.table --profile sequence=2:64:1024 -o x.plan
echo "exit $?"
"$TARE" table x.table --coverage "$model"
echo "exit $?"
"$TARE" table x.table --coverage "$model" --model "$model" --json -q >text
"$JSON_CHECK" coverage.stale length 0 resolved.unknown == 0 <text
"$TARE" table x.table -o other.json --model "$other"
echo "exit $?"
echo 'conv_0 12.500000 ' >>x.table
"$TARE" table x.table -o back.json --model "$model" --json >text
"$JSON_CHECK" resolved.unknown == 1 <text
# in one step, and from a quantized model
"$TARE" calibrate "$model" "$EXAMPLES/intents-mini/calib.h5" --limit 4 --profile sequence=2:64:1024 \
  -o one.table -q >text
echo "exit $?"
"$TARE" table x.stats -o x.json -q >text
"$TARE" export "$model" --calib x.json -o q.onnx --target generic -q >text
"$TARE" import-qdq q.onnx -o f.onnx --table f.table
echo "exit $?"
ls
