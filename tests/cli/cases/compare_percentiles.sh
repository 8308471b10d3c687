# Percentiles as strategies, each a row, and the commands that repeat them.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
eval=$EXAMPLES/intents-mini/eval.h5
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 20 --fits native,opt,per-profile \
  --methods percentile:80,percentile:99.9,percentile,percentile:80.0 --percentile 90 --json \
  -o best.calib.json --report report.csv --report report.md >result.json || exit
echo "# each once: 80.0 is 80"
"$JSON_CHECK" strategies length 9 strategies.0.method == percentile:80 \
  strategies.0.percentile == 80 strategies.1.percentile == 99.9 strategies.2.method == percentile \
  strategies.2.percentile == 90 calibrations length 2 <result.json || exit
cut -d, -f3 report.csv | sort -u
grep -c '| percentile:99.9 |' report.md
echo "# the command of what ranks first makes its table"
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 20 -q --fits native \
  --methods percentile:70,percentile:99.9 --worst 1 -o best.calib.json >text || exit
grep '^verdict' text | sed 's/costs.*/costs/'
command=$(sed -n 's/^  tare calibrate/calibrate/p' text)
echo "$command" | grep -o -e '--method.*'
cp best.calib.json kept.json
eval "\"\$TARE\" $command" >text 2>&1 && cmp kept.json best.calib.json && echo equal
for methods in minmax:3 percentile:abc percentile: percentile:0 percentle:3; do
  "$TARE" compare "$model" "$calib" --eval "$eval" --methods "$methods"
  echo "exit $?"
done
"$TARE" compare "$model" "$calib" --eval "$eval" --methods percentile:9 --percentile 8
echo "exit $?"
