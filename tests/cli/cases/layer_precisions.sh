# In what layers compute, by name and operator: bf16, 16-bit activations, row scales; also in bodies.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx data=$EXAMPLES/intents-mini/calib.h5
profile="--profile sequence=2:64:512"
"$TARE" calibrate -q "$model" "$data" $profile -o x.json >text || exit
"$TARE" build -q "$model" --fp32 $profile -o float.plan >text || exit
count() { # layers by precision, and whether the outputs are as near as $1 dB to those of float
  "$TARE" inspect x.plan --json | tr -d ' \t\n' | grep -o '"precisions":{[^}]*}'
  "$TARE" run x.plan "$data" --limit 10 --against float.plan --json | tr -d ' \t\n' | grep -o '"sqnr_db":[0-9]*' | head -1 |
    awk -F: -v least="$1" '{ print($2 >= least ? "near" : "far: " $2) }'
}
build() {
  "$TARE" build -q "$model" -o x.plan "$@" >text
}
build --calib x.json && count 22
build --calib x.json --layer-precisions '*:int8-rows,@Attention:int8' && count 26
build --calib x.json --layer-precisions '@MatMul:int16' && count 28
build --fp32 $profile --layer-precisions '@MatMul:int16-rows' && count 32
build --fp32 $profile --layer-precisions '@MatMul:bf16' && count 40
build --calib x.json --layer-precisions '@Attention:bf16' --precision-constraints obey && count 22
"$TARE" build "$model" --fp32 $profile -o y.plan --layer-precisions '/layers.0/MatMul:bf16' | sed -n '/^layer/,/^written/p' | grep -v ^written
build --calib x.json --layer-precisions '@MatMul:bf16,/head/*:fp32,@Attention:int8' && count 30
build --calib x.json --layer-precisions '@MatMul:bf16' --layer-precisions '/head/*:fp32,@Attention:int8' && count 30
"$TARE" build "$model" --fp32 $profile -o y.plan --layer-precisions '/head/*:int16' | sed -n '/^layer/,/^written/p' | grep -v ^written
"$TARE" build "$model" --calib x.json -o z.plan --layer-precisions '@Attention:int16' --precision-constraints obey
echo "exit $?"
ls z.plan 2>/dev/null
"$TARE" build "$model" --calib x.json -o z.plan --layer-precisions '@MatMul:bf16' --layer-weight-types '/head/*:int8' |
  sed -n '/^layer/,/^written/p' | grep -v ^written
for request in choice/then_branch/then_product:bf16 '*_product:int16-rows' '@MatMul:bf16,*else*:fp32'; do
  "$TARE" build -q "$SOURCE/tests/fixtures/onnx/if_products.onnx" --fp32 --profile n=1:4:9 -o body.plan --layer-precisions "$request" |
    grep ^layers
done
"$TARE" build -q "$SOURCE/tests/fixtures/onnx/if_products.onnx" --fp32 --profile n=1:4:9 -o body.plan --layer-precisions 'them_product:bf16'
echo "exit $?"
"$TARE" export "$model" --calib x.json -o x.onnx --layer-precisions '@MatMul:bf16'
echo "exit $?"
