# quantize chooses the method by what the written file gives, not by a plan of the same scales, which
# hides that a method clips Softmax: attention of a plan has its own. A bad file brings a warning, where no layers are raised.
mini=$EXAMPLES/intents-mini short=$SMALL/intents-mini
model=$mini/intents-mini.onnx calib=$short/calib.h5 lengths=sequence=2:64:512

# However slow the machine is, the layers that cost most are named.
quantize() { "$TARE" quantize --raise-layers off --time-limit 600 "$@"; }

# sqnr FILE: of a model in another process, each value rounded where it has a pair
sqnr() {
  "$TARE" build -q "$1" --profile $lengths --layer-output-types '*:fp32' -o file.plan >text || exit
  "$TARE" run file.plan "$calib" --limit "${2:-24}" --against "$model" -q | sed -n 's/^SQNR *\([0-9.]*\) dB$/\1/p'
}

near() { awk -v a="$1" -v b="$2" 'BEGIN {print a - b < 0.06 && b - a < 0.06 ? "the same" : a " and " b}'; }
warned() { sed -n 's/\(SQNR of \)[0-9.-]*/\1N/; s/([0-9.-]* dB alone)/(N dB alone)/g; /warning:\|cost most\|keeps\|not checked/p' err; }

for form in "tensorrt float" "generic int16" "onnxruntime dynamic"; do
  echo "== ${form% *}, ${form#* }"
  quantize "$model" "$calib" --profile $lengths --target "${form% *}" --row-scales "${form#* }" -o best.onnx \
    --limit 12 --json 2>err >best.json || exit
  warned
  "$JSON_CHECK" method != entropy methods.0.method == minmax methods.0.sqnr_db '>' 15 methods.1.method == entropy \
    methods.1.sqnr_db '<' 10 accuracy.samples == 8 accuracy.sqnr_db '>' 20 <best.json
done
echo "== what is printed is what the file has"
quantize "$model" "$calib" --profile $lengths --limit 24 -o best.onnx >text 2>err || exit
near "$(sed -n 's/^method .*: SQNR \([0-9.]*\) dB on the calibration data .*/\1/p' text)" "$(sqnr best.onnx)"
echo "== a method that clips"
quantize "$model" "$calib" --profile $lengths --limit 24 --method entropy -o bad.onnx --eval "$short/eval.h5" --json \
  2>err >bad.json || exit
warned
"$JSON_CHECK" accuracy.sqnr_db '<' 10 evaluation.sqnr_db '<' 10 <bad.json
near "$(sed -n 's/.*: warning: bad.onnx has an SQNR of \([0-9.]*\) dB.*/\1/p' err)" "$(sqnr bad.onnx 8)"
echo "== scales of the tensor at run time: the file has them, and so has a plan of it"
calib=$mini/calib.h5 # whose rows differ more
quantize "$model" "$calib" --profile $lengths --row-scales dynamic --layer-precisions '*:int8-rows' --method minmax \
  --limit 8 -o rows.onnx --json 2>/dev/null | "$JSON_CHECK" accuracy.sqnr_db '>' 28.5 accuracy.sqnr_db '<' 29.2 || exit
awk -v rows="$(sqnr rows.onnx 8)" 'BEGIN {print (rows > 28.5 && rows < 29.2 ? "as said" : rows)}'
calib=$short/calib.h5
echo "== a method that leaves all in float is no better for it"
quantize "$SOURCE/tests/fixtures/lengths/loud.onnx" "$SOURCE/tests/fixtures/lengths/loud_calib.npz" \
  --map x=x:lengths=lengths -o loud.onnx --json 2>/dev/null | "$JSON_CHECK" method != entropy methods.0.integer_share == 1 \
  methods.1.method == entropy methods.1.integer_share == 0 layers.0.form == int8 || exit
echo "== an evaluation that fails leaves nothing"
quantize "$model" "$calib" --profile $lengths --limit 4 -o nothing.onnx --external-data --table nothing.json \
  --eval "$short/eval.h5" --metric score --metric-command false -q 2>&1
echo "exit $?"
ls nothing* 2>/dev/null
echo "== its remedy"
quantize "$model" "$calib" --profile $lengths --limit 24 --method entropy -o good.onnx \
  --layer-precisions "$(sed -n "s/.*--layer-precisions '\(.*\)' keeps.*/\1/p" err)" --json 2>err | "$JSON_CHECK" accuracy.sqnr_db '>' 20
warned
echo "== of each profile"
quantize "$model" "$calib" --profile sequence=2:16:64 --profile sequence=65:128:512 --limit 24 --per-profile -o each.onnx --json \
  2>err | "$JSON_CHECK" method != entropy models.0.accuracy.sqnr_db '>' 20 models.1.accuracy.sqnr_db '>' 20
warned
quantize "$model" "$calib" --profile sequence=2:16:64 --profile sequence=65:128:512 --limit 24 --per-profile --method entropy \
  -o each.onnx 2>err >text || exit
warned
echo "== other samples"
quantize "$model" "$calib" --profile sequence=2:32:106 --profile sequence=107:128:512 --limit 24 --per-profile --method entropy \
  -o each.onnx --eval "$calib" 2>err >text || exit
warned
