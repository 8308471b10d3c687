# In what layers store their weights, by name and operator: met, refused with obey, reported.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini/calib.h5
build() {
  "$TARE" build "$model" --profile sequence=2:64:512 -o x.plan "$@"
}
kinds() { # how many layers store what
  "$TARE" inspect x.plan --json | grep -o '"weights":[^,]*' | sort | uniq -c | sed 's/^ *//'
}
build -q --fp32 || exit
kinds
cp x.plan float.plan
for type in int8 fp16 bf16; do
  build -q --fp32 --layer-weight-types "*:$type" || exit
  kinds
  "$TARE" run x.plan "$data" --limit 10 --against float.plan --json |
    tr -d ' \t\n' | grep -o '"sqnr_db":[0-9]*' | head -1
done
build -q --fp32 --layer-weight-types '@MatMul:int8,/head/*:fp32' && kinds
"$TARE" calibrate -q "$model" "$data" --profile sequence=2:64:512 -o x.json >text || exit
"$TARE" build "$model" --calib x.json -o x.plan --layer-weight-types '/head/*:fp16' | sed -n '/^layer/,/^written/p' |
  grep -v ^written
"$TARE" build "$model" --calib x.json -o y.plan --layer-weight-types '/head/*:fp16' --precision-constraints obey
echo "exit $?"
ls y.plan 2>/dev/null
build --fp32 --layer-weight-types '/heat/MatMul:int8'
echo "exit $?"
build --fp32 --layer-weight-types '@Convolution:int8'
echo "exit $?"
build --fp32 --layer-weight-types '*:int8-rows'
echo "exit $?"
build --fp32 --layer-weight-types ':int8'
echo "exit $?"
