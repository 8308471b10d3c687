# Static scales against row scales: strategies in several precisions, and commands that repeat one.
EXAMPLES=$SMALL
model=$EXAMPLES/digits-conv/digits-conv.onnx
calib=$EXAMPLES/digits-conv/calib
eval=$EXAMPLES/digits-conv/eval
"$TARE" compare "$model" "$calib" --eval "$eval" --rate 8000 --limit 6 -q --fits native \
  --methods minmax,mse --precisions default,int8,int8-rows,int8 --json --report report.csv \
  -o best.json -o best.plan >result.json || exit
"$JSON_CHECK" strategies length 6 strategies.0.precision == default strategies.0.method == minmax \
  strategies.1.precision == int8 strategies.1.method == 'minmax, int8' \
  strategies.5.method == 'mse, int8-rows' calibrations length 1 verdict.kind == precision pairs length 5 \
  <result.json || exit
cut -d, -f3- report.csv | grep -o '^"[a-z]*, int8[a-z-]*"' | sort
echo "# the commands make the plan that ranks first, beside requests by name"
"$TARE" compare "$model" "$calib" --eval "$eval" --rate 8000 --limit 6 -q --fits native \
  --methods minmax --precisions int8-rows --layer-precisions '/blocks.0*:fp32' -o best.json \
  -o best.plan >text || exit
sed -n 's/^  tare build/build/p' text
cp best.plan kept.plan
eval "\"\$TARE\" $(sed -n 's/^  tare build/build/p' text) -q" >said && cmp best.plan kept.plan &&
  echo equal
"$TARE" compare "$model" "$calib" --eval "$eval" --precisions int4
echo "exit $?"
"$TARE" compare "$model" "$calib" --eval "$eval" --precisions int8 --precision-constraints none
echo "exit $?"
