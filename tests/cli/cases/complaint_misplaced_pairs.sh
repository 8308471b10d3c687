# "INT8 gains nothing, for badly placed Q/DQ pairs": check names them, and build names the layers that stay float.
model=$SOURCE/tests/fixtures/precision/misplaced.onnx
"$TARE" check "$model" --target tensorrt
echo "exit $?"
"$TARE" build "$model" --profile batch=1,frames=1:500:4000 -q -o x.plan | grep -v -e ^weights -e ^context -e ^written
"$TARE" bench x.plan --duration 0 --iterations 3 --warmUp 0 --advice --json | "$JSON_CHECK" advice.causes length 6 \
  advice.causes.3.cause == pairs advice.causes.3.layers '>' 0 advice.causes.3.ms '>' 0 || exit
