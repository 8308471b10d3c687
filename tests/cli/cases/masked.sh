# A model with a mask: samples padded to the longest of the profile, and beside empty rows of a batch,
# give the file of outputs that they give alone.
model=$EXAMPLES/intents-mini/intents-mini.onnx
lengths=batch=1:1:3,sequence=2:64:320
"$TARE" calibrate "$model" "$EXAMPLES/intents-mini/calib.h5" --limit 3 --profile $lengths \
  --method minmax -o mini.json -q >calibrated || exit
"$TARE" build "$model" --calib mini.json -o int8.plan -q >built || exit
"$TARE" build "$model" --fp32 --profile $lengths -o fp32.plan -q >built || exit
for plan in int8 fp32; do
  for fit in native pad opt; do
    "$TARE" run $plan.plan "$EXAMPLES/intents-mini/eval.h5" --limit 3 --fit $fit -q \
      --save-outputs $plan.$fit.h5 >ran || exit
  done
  cmp $plan.native.h5 $plan.pad.h5 && echo "$plan: padded as alone"
  cmp $plan.native.h5 $plan.opt.h5 >differ || echo "$plan: cut is another sample"
done
cmp int8.native.h5 fp32.native.h5 >differ || echo "int8 is not float"
