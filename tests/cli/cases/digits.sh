# From recordings to an INT8 plan, with everything as JSON.
model=$EXAMPLES/digits-conv/digits-conv.onnx
calib=$EXAMPLES/digits-conv/calib
eval=$EXAMPLES/digits-conv/eval
"$TARE" calibrate "$model" "$calib" --rate 8000 --profile samples=1000:20000:40000 \
  --profile samples=40001:60000:160000 -o digits.stats --json | "$JSON_CHECK" \
  samples == 20 skipped == 0 fit == native padding_counted is false tensors '>' 20 \
  profiles length 2 profiles.0.samples '>' 0 output == digits.stats table is missing || exit
"$TARE" table digits.stats --method entropy -o digits.json --json | "$JSON_CHECK" \
  method == entropy tensors '>' 20 warnings is array output == digits.json format == json || exit
"$TARE" table digits.stats --per-profile -o per.json --json | "$JSON_CHECK" \
  method == minmax profiles length 2 || exit
"$TARE" build "$model" --calib per.json -o digits.plan --json | "$JSON_CHECK" \
  weight_bytes '>' 100000 profiles length 2 precisions.int8-rows '>' 5 layers is array || exit
"$TARE" run digits.plan "$eval" --rate 8000 --against "$model" --labels digits \
  --metric ctc-error --alphabet 0123456789 --json | "$JSON_CHECK" \
  samples == 20 equal is false sqnr_db '>' 10 cosine '>' 0.95 max_abs_error '>' 0 \
  top1_agreement '>' 0.95 metric.name == ctc-error metric.value '<' 0.05 \
  metric.reference '<' 0.02 to_reference.samples == 20 \
  to_reference.distinct is false seconds '>' 0 profiles length 2 profiles.1.samples '>' 0 || exit
"$TARE" run "$model" "$eval" --rate 8000 --limit 2 --against "$model" --json 2>said | "$JSON_CHECK" \
  samples == 2 equal is true sqnr_db is null cosine == 1 max_abs_error == 0 || exit
grep '^tare: profile taken from the data: samples=' said >/dev/null || echo "nothing said"
"$TARE" run digits.plan "$eval" --rate 8000 --limit 2 --save-outputs out.h5 --json | "$JSON_CHECK" \
  samples == 2 sqnr_db is missing metric is missing || exit
"$TARE" inspect "$model" --json | "$JSON_CHECK" \
  kind == model inputs.0.name == audio inputs.0.dims.1 == samples operators.Conv '>' 3 \
  outputs length 1 hash is text || exit
"$TARE" inspect digits.stats digits.json digits.plan --json | "$JSON_CHECK" \
  . length 3 0.kind == statistics 0.tensors.0.profiles length 2 1.kind == table \
  1.entries.0.profiles.0.amax '>' 0 2.kind == plan 2.layers.0.name is text || exit
"$TARE" inspect "$eval" --json --rate 8000 | "$JSON_CHECK" \
  kind == data samples == 20 bad == 0 symbols.1.name == samples symbols.1.min '>' 1000 || exit
ls
