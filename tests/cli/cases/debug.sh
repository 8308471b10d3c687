# Tensors of an int8 plan beside those of its model: the first bad layer, tolerances, histograms.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
data=$EXAMPLES/intents-mini/eval.h5
profile=sequence=2:64:1024
"$TARE" calibrate "$model" "$EXAMPLES/intents-mini/calib.h5" --profile $profile -o x.json -q \
  >/dev/null || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
"$TARE" build "$model" --fp32 --profile $profile -o float.plan -q >/dev/null || exit
"$TARE" build "$model" --calib x.json --profile $profile -o int8.plan -q >/dev/null || exit
compare() {
  "$TARE" debug compare "$@" --limit 8
  echo "exit $?"
}

# A plan equals itself, a float plan nearly the model.
compare int8.plan "$data" --against int8.plan >text
sed -n 's/  */ /g; s/.* \(equal [^ ]* uint8\) .*/\1/p' text | head -n 1
tail -n 4 text
compare float.plan "$data" --against "$model" --min-sqnr 90 --atol 1e-3 | tail -n 4

# An int8 plan holds its limits or not. A tolerance of one tensor may fail where the outputs hold.
compare int8.plan "$data" --against "$model" | tail -n 2
compare int8.plan "$data" --against "$model" --atol 0 | tail -n 2
compare int8.plan "$data" --against "$model" --min-sqnr 200 | tail -n 2
compare int8.plan "$data" --against "$model" --min-sqnr logits:200 | tail -n 2
compare int8.plan "$data" --against "$model" --rtol 1e6 --min-sqnr -1 | tail -n 2
"$TARE" debug compare int8.plan "$data" --against "$model" --limit 8 --tensor logits --json >x
"$JSON_CHECK" command == 'debug compare' samples == 8 match is true not_comparable == 0 \
  tensors.0.equal is true tensors.0.max_abs_error == 0 tensors.4.dtype == uint8 \
  tensors.4.sqnr_db '>' 25 tensors.4.input_sqnr_db is null tensors.8.input_sqnr_db '>' 25 \
  in_bodies == 0 tensors.0.p99_abs_error == 0 tensors.8.p50_abs_error '>' 0 tensors.8.nan == 0 \
  tensors.8.max_abs_error '>' 0 tensors.8.cosine '>' 0.9 <x || exit
grep -c '"histogram"' x
compare int8.plan "$data" --against "$model" --tensor logits | grep -c '#'

# Statistics of too narrow a range: the damage begins where the range was cut.
sed '/"\/layers.1\/Mul_1_output_0"/s/"amax": \[[^]]*\]/"amax": [0.05]/' x.json >narrow.json
"$TARE" build "$model" --calib narrow.json --profile $profile -o narrow.plan -q >/dev/null
compare narrow.plan "$data" --against "$model" >text
sed -n 's/\(first bad  layer [^,]*\),.*/\1/p; /^result/p; /^exit/p' text

# Percentiles are left out where the terminal is too narrow.
for columns in 160 100; do
  COLUMNS=$columns "$TARE" debug compare int8.plan "$data" --against "$model" --limit 1 |
    sed -n '1s/.*max abs *\(99 %\)\{0,1\}.*/\1/p'
done

# The same figures for any number of threads.
"$TARE" debug compare int8.plan "$data" --against "$model" --limit 4 --threads 1 >one
"$TARE" debug compare int8.plan "$data" --against "$model" --limit 4 --threads 2 | cmp - one

# Misuse, with the sentence that helps.
compare int8.plan "$data" --against "$model" --tensor logit
compare int8.plan "$data" --against "$model" --atol gone:1
compare int8.plan "$data" --against "$model" --atol logits:few
compare int8.plan "$data"
compare missing.plan "$data" --against "$model"
"$TARE" debug shrink
echo "exit $?"
