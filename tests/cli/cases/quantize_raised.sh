# Layers that 8 bits cost a written model too much are in float, or in the form of row scales; trials of the model find them.
models=$SOURCE/tests/fixtures/raised model=$SOURCE/tests/fixtures/raised/deep.onnx
profile='--profile n=1,t=4:12:20'
quantize() { "$TARE" quantize "$model" "$models/calib" $profile "$@"; }
judge() { # whether the SQNR of a written model on samples that were not calibrated is above a bound: FILE BOUND
  "$TARE" build -q "$1" $profile --layer-output-types '*:fp32' -o file.plan >text || exit
  "$TARE" run -q file.plan "$models/others" --against "$model" --json | "$JSON_CHECK" sqnr_db '>' "$2"
}
figures() { sed 's/[0-9.]* %/N %/; s/[0-9.]* dB instead of [0-9.-]*/N dB instead of N/; s/SQNR of [0-9.]* dB/SQNR of N dB/; s/([0-9.]* dB alone)/(N dB alone)/g'; }
forms() { sed -n 's/^\(layers  .*\|raised .*\|method .*before layers are raised\).*/\1/p' | sed 's/[0-9.]* dB/N dB/; s/method     [a-z]*/method/'; }

quantize -o x.onnx --table x.json --json 2>err >text || exit
figures <err
"$JSON_CHECK" accuracy.sqnr_db '>=' 28 accuracy.standard_sqnr_db '<' 20 accuracy.raised '>' 0 accuracy.raised_share '<' 0.5 \
  layers.0.form == fp32 layers.0.raised == fp32 <text || exit
judge x.onnx 25
"$TARE" export -q "$model" --calib x.json -o y.onnx | forms
cmp x.onnx y.onnx
echo "== the same without a word, with more threads, and in text"
quantize -q --threads 2 -o y.onnx 2>&1 | forms
cmp x.onnx y.onnx
echo "== off: a warning with the remedy"
quantize --raise-layers off -o off.onnx 2>&1 >text | figures
"$TARE" quantize --raise-layers maybe "$model" "$models/calib" -o y.onnx 2>&1
echo "exit $?"
echo "== requests count more: what they cost is left"
quantize -q --method minmax --layer-precisions 'layer0:int8' -o y.onnx --json | "$JSON_CHECK" layers.0.form == int8 layers.0.raised == "" accuracy.raised '>' 0
echo "== forms of row scales"
for form in dynamic int16; do
  quantize --method minmax --row-scales $form -o y.onnx --table $form.json 2>err >text || exit
  figures <err
  judge y.onnx 25
  "$TARE" export -q "$model" --calib $form.json --row-scales $form -o z.onnx >text
  cmp y.onnx z.onnx
done
echo "== of each profile"
"$TARE" quantize "$model" "$models/calib" --profile n=1,t=4:8:12 --profile n=1,t=13:16:20 --per-profile --method minmax \
  -o each.onnx --table each.json --json 2>err >text || exit
figures <err
"$JSON_CHECK" models.0.accuracy.sqnr_db '>' 26 models.1.accuracy.sqnr_db '>' 26 <text
for i in 0 1; do
  "$TARE" export -q "$model" --calib each.json --profile-index $i -o z.onnx >text
  cmp each.$i.onnx z.onnx
done
echo "== what Q/DQ cannot say"
"$TARE" calibrate -q "$model" "$models/calib" $profile --all-tensors -o t.json >text || exit
sed 's/"layer_precisions": "[^"]*"/"layer_precisions": "layer0:int16-rows,layer1:int8-rows,layer2:bf16,layer3:fp32,layer4:int8"/' t.json >asks.json
for form in float int16 dynamic; do
  echo "$form:"
  "$TARE" export -q "$model" --calib asks.json --row-scales $form --layer-precisions layer3:int8 -o z.onnx | sed -n '/^layers\|^raised\|^layer[0-9]/p'
done
"$TARE" export -q "$model" --calib asks.json -o z.onnx --json | "$JSON_CHECK" layers.0.raised == int16-rows layers.0.form == fp32 \
  layers.1.raised == int8-rows layers.4.form == int8
