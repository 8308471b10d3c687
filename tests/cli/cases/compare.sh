# Strategies side by side.
model=$EXAMPLES/digits-conv/digits-conv.onnx
calib=$EXAMPLES/digits-conv/calib
eval=$EXAMPLES/digits-conv/eval
"$TARE" compare "$model" "$calib" --eval "$eval" \
  --rate 8000 --limit 3 --fits native,opt,per-profile --methods minmax,entropy \
  --pad-stats all --labels digits --metric ctc-error --alphabet 0123456789 --json \
  2>said | "$JSON_CHECK" calibrations length 3 calibrations.0.samples == 3 strategies length 8 \
  fp32.metric.value '<' 0.1 strategies.0.sqnr_db '>' 5 calibrations.0.peak_bytes '>' 1000000 \
  strategies.0.rank '>' 0 strategies.0.to_fp32.samples == 3 strategies.0.best is false \
  strategies.0.error is missing || exit
"$TARE" compare "$model" "$calib" --eval "$eval" \
  --rate 8000 --limit 1 --fits all --methods minmax --json -q |
  "$JSON_CHECK" calibrations length 4 strategies length 5 strategies.0.to_best is missing || exit
grep -c '^tare: profile taken from the data: samples=' said
masked() { # figures; what is asked here is who is marked, and in which order
  sed -e 's/[+-]*[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/ [kMG]B/ B/g' -e 's/  */ /g'
}
rows_in_order() { # of strategies whose figures are so near that the order depends on the machine
  awk '
    function flush(i, j, row) {
      for (i = 1; i < n; i++)
        for (j = i; j > 0 && rows[j - 1] > rows[j]; j--) { row = rows[j]; rows[j] = rows[j - 1]; rows[j - 1] = row }
      for (i = 0; i < n; i++) print rows[i]
      n = 0
    }
    /^=? (native|opt) [a-z]+ N/ { rows[n++] = $0; next }
    { flush(); print }
    END { flush() }'
}
echo "# a metric, and nobody is the best; the first is kept"
COLUMNS=80 "$TARE" compare "$model" "$calib" --eval "$eval" --rate 8000 -q --fits native,opt \
  --methods minmax,entropy,mse --labels digits --metric ctc-error --alphabet 0123456789 \
  -o best.calib.json -o best.plan >text || exit
masked <text | rows_in_order
awk 'length > 80 && !/^  tare /' text
"$TARE" inspect best.calib.json best.plan --json | "$JSON_CHECK" 0.method == minmax 1.kind == plan ||
  exit
"$TARE" build "$model" --calib best.calib.json -o again.plan -q >text && cmp best.plan again.plan
echo "# one that is, by a metric whose largest value is best"
"$TARE" compare "$EXAMPLES/intents-mini/intents-mini.onnx" "$EXAMPLES/intents-mini/calib.h5" -q \
  --eval "$EXAMPLES/intents-mini/eval.h5" --labels labels --metric accuracy --fits native \
  --methods minmax,percentile --percentile 70 | masked
echo "# profiles, without a metric"
"$TARE" compare "$model" "$calib" --eval "$eval" \
  --rate 8000 --limit 2 --fits native --methods minmax --profile samples=1000:30000:50000 \
  --profile samples=50001:60000:160000 --quiet >text || exit
masked <text
"$TARE" compare "$model" "$calib" --eval "$eval" -o best.bin
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" --labels digits
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" --metric ctc-eror
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" --metric ctc-error
echo "exit $?"
