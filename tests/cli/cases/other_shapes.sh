# Outputs whose lengths values of a run decide are compared where two plans give other lengths: what one of
# both lacks counts as zeros.
folder=$SOURCE/tests/fixtures/measured
"$TARE" run "$folder/low.onnx" "$folder/x.npy" "$folder/same.npy" --against "$folder/high.onnx" | grep -v time
"$TARE" run -q "$folder/low.onnx" "$folder/x.npy" "$folder/same.npy" --against "$folder/high.onnx" --json |
  "$JSON_CHECK" other_shapes == 1 outputs.0.other_shapes == 1 outputs.1.other_shapes == 1 outputs.2.other_shapes == 0
"$TARE" build -q "$folder/low.onnx" --fp32 --profile n=1:4:8 -o x.plan >text || exit
"$TARE" debug compare -q x.plan "$folder/x.npy" --against "$folder/high.onnx" | sed -n 's/^bad//p'
# A metric that compares value by value needs the same shape.
"$TARE" run -q "$folder/low.onnx" "$folder/x.npy" --against "$folder/high.onnx" --metric mae
echo "exit $?"
echo "# compare counts the strategies, and with --json the samples of each"
for form in "" --json; do
  # shellcheck disable=SC2086 # no argument, if empty
  "$TARE" compare -q "$folder/high.onnx" "$folder/x.npy" --eval "$folder/x.npy" --eval "$folder/same.npy" --profile n=1:4:8 \
    --fits native --methods minmax --also x.plan $form >compared || exit
  if [ "$form" ]; then
    "$JSON_CHECK" strategies.0.other_shapes == 0 strategies.1.other_shapes == 1 <compared
  else
    grep shapes compared
  fi
done
