# Reports of a comparison, in every format; nothing is written where one cannot be.
example=$EXAMPLES/intents-mini
compare() {
  "$TARE" compare "$example/intents-mini.onnx" "$example/calib.h5" -q --eval "$example/eval.h5" --fits native \
    --methods minmax,percentile --percentile 70 --labels labels --metric accuracy "$@"
}
masked() { # figures
  sed -e 's/[+-]*[0-9][0-9]*\.[0-9][0-9]*\(e-[0-9]*\)*/N/g' -e 's/20[0-9-]*T[0-9:]*Z/DATE/'
}
compare --report r.md --report r.csv --report r.json --json >printed || exit
echo "# Markdown"
masked <r.md
cp "$SMALL/intents-mini/intents-mini.onnx" 'a|b*.onnx'
"$TARE" compare 'a|b*.onnx' "$SMALL/intents-mini/calib.h5" -q --eval "$SMALL/intents-mini/eval.h5" --limit 4 --fits native \
  --methods minmax --report names.md >text || exit
head -n 1 names.md
rm names.md text 'a|b*.onnx'
echo "# CSV"
head -n 1 r.csv
cut -d, -f1-6 r.csv | tail -n +2
awk -F, 'NF != 23' r.csv
echo "# JSON"
cmp printed r.json
"$JSON_CHECK" command == compare metric.name == accuracy metric.factor == 100 profiles length 1 \
  command_line is text data length 1 evaluation length 1 strategies.0.sqnr_db '>' 5 \
  length_histograms.0.calibration.samples == 48 length_histograms.0.profiles length 1 \
  tensors.items length 12 tensors.items.0.thresholds length 2 tensors.items.0.histogram.width '>' 0 \
  ranges is missing plan.samples == 8 plan.layers.0.name is text plan.by_precision.0.layers '>' 0 \
  tare_version is text cpu_features is text cores '>' 0 <r.json || exit
echo "# misuse"
for wrong in report r.txt missing/r.md; do
  compare --report "$wrong" 2>said
  echo "exit $?"
  cat said
done
compare -o both.json --report both.json
echo "exit $?"
cp "$example/eval.h5" data.json
"$TARE" compare "$example/intents-mini.onnx" "$example/calib.h5" --eval data.json --report data.json
echo "exit $?"
ls
