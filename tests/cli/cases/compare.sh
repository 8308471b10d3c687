# Strategies side by side.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" compare "$model" "$EXAMPLES/digits-conv/calib" --eval "$EXAMPLES/digits-conv/eval" \
  --rate 8000 --limit 3 --fits native,opt,per-profile --methods minmax,entropy \
  --pad-stats all --labels digits --metric ctc-error --alphabet 0123456789 --json \
  2>said | "$JSON_CHECK" calibrations length 3 calibrations.0.samples == 3 combinations length 8 \
  fp32.metric.value '<' 0.1 fp32.peak_bytes '>' 1000000 combinations.0.sqnr_db '>' 5 \
  combinations.0.peak_bytes '>' 1000000 combinations.0.error is missing || exit
"$TARE" compare "$model" "$EXAMPLES/digits-conv/calib" --eval "$EXAMPLES/digits-conv/eval" \
  --rate 8000 --limit 1 --fits all --methods minmax --json -q |
  "$JSON_CHECK" calibrations length 4 combinations length 5 || exit
grep -c '^tare: profile taken from the data: samples=' said
"$TARE" compare "$model" "$EXAMPLES/digits-conv/calib" --eval "$EXAMPLES/digits-conv/eval" \
  --rate 8000 --limit 2 --fits native --methods minmax --profile samples=1000:30000:50000 \
  --profile samples=50001:60000:160000 --quiet >text || exit
sed -e 's/[0-9][0-9.]*/N/g' -e 's/  */ /g' -e 's/ [kMG]B/ B/g' text
