# "My Q/DQ model fails to build, and the error does not say that --int8 is missing": here a model that states its scales
# needs no option, and options against it are refused by name.
fixtures=$SOURCE/tests/fixtures/precision
model=$fixtures/quantized.onnx profile="--profile batch=1:6:64"
build() {
  # shellcheck disable=SC2086 # profile is an option and its value
  "$TARE" build "$model" $profile -o x.plan "$@"
}
build -q | grep -v -e ^written -e ^weights -e ^context
"$TARE" inspect x.plan | awk '$1 == "first" || $1 == "second" || $1 == "third" { print $1, $2, $4 }'
"$TARE" run x.plan "$fixtures/quantized.npz" --against "$model" --json | "$JSON_CHECK" equal is true || exit
build --layer-precisions first:fp32
echo "exit $?"
build --layer-precisions '@MatMul:int8-rows'
echo "exit $?"
build --fp32 -q | grep ^layers
"$TARE" calibrate "$model" "$fixtures/quantized.npz" -o x.json
echo "exit $?"
# A float model without a table is told what it needs.
"$TARE" build "$fixtures/encoder.onnx" --profile batch=4,frames=1:24:100 -o y.plan
echo "exit $?"
