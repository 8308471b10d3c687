# What the user made already, beside the strategies: plans, quantized models and tables.
EXAMPLES=$SMALL
model=$EXAMPLES/intents-mini/intents-mini.onnx
calib=$EXAMPLES/intents-mini/calib.h5
eval=$EXAMPLES/intents-mini/eval.h5
profile=sequence=2:64:512
masked() { # figures; what is asked here is who is there, and in which order
  sed -e 's/[+-]*[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/  */ /g'
}
"$TARE" calibrate "$model" "$calib" --limit 20 --profile $profile --method minmax -o own.json -q >text &&
  "$TARE" calibrate "$model" "$calib" --limit 20 --profile $profile --method percentile \
    --percentile 70 --raise-layers off -o bad.json -q >text &&
  "$TARE" build "$model" --calib own.json --profile $profile -o own.plan -q >text &&
  "$TARE" build "$model" --fp32 --profile $profile -o float.plan -q >text &&
  "$TARE" export "$model" --calib own.json -o own.qdq.onnx -q >text || exit
echo "# a plan of the same table has the same figures, and the strategy ranks before it"
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 20 --profile $profile -q --fits native \
  --methods minmax,mse --also own.plan,own.qdq.onnx \
  --also bad.json -o kept.json -o kept.plan --report report.csv --json >result.json || exit
"$JSON_CHECK" strategies length 5 strategies.0.rank == 1 strategies.0.own is false \
  strategies.2.own is true strategies.2.fit == own strategies.2.method == own.plan \
  strategies.2.rank == 2 strategies.2.equal_within_noise is true strategies.2.calibration == -1 \
  strategies.2.sqnr_to_first.value == 0 strategies.3.method == own.qdq.onnx \
  strategies.3.sqnr_db '>' 20 strategies.4.equal_within_noise is false strategies.4.rank == 5 \
  pairs length 4 pairs.0.axis == own pairs.0.scales is missing verdict.kind == equal \
  <result.json || exit
cut -d, -f1-3 report.csv
"$TARE" build "$model" --calib kept.json --profile $profile -o again.plan -q >text &&
  cmp kept.plan again.plan
echo "# a file is no partner of strategies"
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 20 --profile $profile -q --json \
  --fits native,opt --methods minmax --precisions int8,default --also own.plan >result.json || exit
"$JSON_CHECK" strategies length 5 pairs length 4 <result.json || exit
tr -d '\n\t' <result.json | grep -o '"base":[0-9]*,"axis":"[a-z-]*"' | sort
echo "# one that is better than every strategy is never what -o writes"
"$TARE" compare "$model" "$calib" --eval "$eval" --limit 20 --profile $profile -q --fits native \
  --methods minmax --also float.plan -o kept.json --require 'sqnr>=200' >text
echo "exit $?"
masked <text | grep -e '^\*' -e own -e first, -e verdict -e because -e written -e kept
echo "# what cannot be compared"
"$TARE" compare "$model" "$calib" --eval "$eval" --profile sequence=2:64:600 -q --also own.plan
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" -q --also "$EXAMPLES/digits-conv/digits-conv.onnx"
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" -q --also missing.plan
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" -q --also own.plan -o own.plan
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" -q --also "$eval"
echo "exit $?"
