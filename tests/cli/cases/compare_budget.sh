# A time budget: what is left out is said, and the rest is ranked.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
eval=$EXAMPLES/intents-mini/eval.h5
echo "# no time at all: the first strategy is there nevertheless"
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 8 -q --fits native,opt \
  --methods minmax,mse --time-budget 0.001s --labels labels --metric accuracy -o first.json \
  --report report.html >text || exit
grep -e '^left out' -e '^verdict' -e '^written' text
"$TARE" inspect first.json --json | "$JSON_CHECK" method == minmax || exit
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 8 -q --fits native,opt \
  --methods minmax,mse --time-budget 0.001s --json 2>said >result.json || exit
"$JSON_CHECK" strategies length 1 calibrations length 1 time_budget.evaluated == 1 \
  time_budget.left_out length 3 time_budget.left_out.2.fit == opt \
  time_budget.left_out.2.method == mse <result.json || exit
cat said
echo "# time enough: the figures are those without a budget"
for budget in '' '--time-budget 1h'; do
  "$TARE" compare "$model" "$calib" --eval "$eval" --limit 8 -q --fits all --methods minmax,mse \
    --pad-stats all --labels labels --metric accuracy --also first.json $budget --json \
    --report "figures$budget.csv" >result.json || exit
  "$JSON_CHECK" strategies length 15 <result.json || exit
  cut -d, -f1-19 "figures$budget.csv" >"table$budget"
done
cmp table "table--time-budget 1h" && echo equal
"$JSON_CHECK" time_budget.seconds == 3600 time_budget.left_out length 0 <result.json || exit
for budget in 0 10x m -5m '' nan; do
  "$TARE" compare "$model" "$calib" --eval "$eval" --time-budget="$budget"
  echo "exit $?"
done
