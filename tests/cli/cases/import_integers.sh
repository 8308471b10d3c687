# Models of operators on integers: they come back as float models that compute the same.
qdq=$SOURCE/tests/fixtures/qdq
for form in static dynamic; do
  echo "== $form"
  "$TARE" import-qdq "$qdq/integers_$form.onnx" -o $form.onnx --table $form.json || exit
  "$TARE" run $form.onnx "$qdq/integers_$form.npy" --against "$qdq/integers_$form.onnx" -q |
    grep -e SQNR -e cosine
done
echo "== out again"
"$TARE" export static.onnx --calib static.json --target onnxruntime -o out.onnx || exit
"$TARE" export static.onnx --calib static.json --row-scales dynamic \
  --layer-precisions fc1_quant:int8-rows -o rows.onnx || exit
grep -ac transB out.onnx rows.onnx # an attribute of Gemm, not of MatMulInteger
"$TARE" import-qdq "$qdq/integers_dynamic.onnx" -o dynamic.onnx --table dynamic.json -q >text || exit
rows=$(sed -n "s/.*--layer-precisions '\(.*\)'.*/\1/p" text)
"$TARE" export dynamic.onnx --calib dynamic.json --row-scales dynamic --layer-precisions "$rows" \
  -o a.onnx || exit
"$TARE" export dynamic.onnx --calib dynamic.json --row-scales int16 --layer-precisions "$rows" -o words.onnx
"$TARE" import-qdq a.onnx -o clean.onnx --table clean.json -q >text || exit
rows=$(sed -n "s/.*--layer-precisions '\(.*\)'.*/\1/p" text)
"$TARE" export clean.onnx --calib clean.json --row-scales dynamic --layer-precisions "$rows" -o b.onnx \
  -q >text || exit
cmp a.onnx b.onnx
echo "== what stays"
"$TARE" import-qdq "$qdq/integers_stay.onnx" -o stay.onnx --table stay.json
"$TARE" build stay.onnx -o stay.plan -q >text
echo "== both files or neither"
( # the model has room, the table does not
  ulimit -f 6
  "$TARE" import-qdq "$qdq/integers_static.onnx" -o never.onnx --table never.json -q >text
)
echo "exit $?"
ls never.onnx never.json 2>&1 || true
