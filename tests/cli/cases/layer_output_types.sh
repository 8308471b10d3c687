# What layers write, by name: met, refused with obey, reported with prefer.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
"$TARE" calibrate -q "$model" "$EXAMPLES/intents-mini/calib.h5" --profile sequence=2:64:512 -o x.json >text || exit
build() {
  "$TARE" build "$model" --calib x.json -o x.plan "$@"
}
kinds() { # how many layers write what
  "$TARE" inspect x.plan --json | grep -o '"output_type":[^,]*' | sort | uniq -c | sed 's/^ *//'
}
build -q >text || exit
kinds
build -q --layer-output-types '*:fp32' >text || exit
kinds
build --layerOutputTypes '/head/*:int8' | sed -n '/^layer/,/^written/p' | grep -v ^written
build --layer-output-types '/head/*:int8' --precision-constraints obey
echo "exit $?"
build --layer-output-types '/heat/MatMul:fp32'
echo "exit $?"
build --layer-output-types '*:int16'
echo "exit $?"
build --layer-output-types fp32
echo "exit $?"
