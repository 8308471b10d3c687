# "The engine tells its layers' precision only if it was built with detailed verbosity": a plan built with --quiet tells
# all of it to another process, also under the names of TensorRT's engine inspector.
model=$SOURCE/tests/fixtures/precision/encoder.onnx data=$SOURCE/tests/fixtures/precision/encoder.npz
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$data" eight/$i.npz; done
"$TARE" calibrate -q "$model" eight --profile batch=4,frames=1:24:100 -o x.json >text || exit
# without predicted losses, as an older table: all scales are static
sed -i 's/, "\(static_loss\|row_loss\)": \[[^]]*\]//g' x.json
"$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions 'mixed:fp32,logits:bf16' >text || exit
rm x.json
"$TARE" inspect x.plan | awk '/^layer / { n = 1 } n' |
  sed -e 's/ *[^ ]*$//' -e 's/ *[0-9.]* k*B / _ /' # without the kernels and the bytes
"$TARE" inspect x.plan --json | "$JSON_CHECK" layers length 9 layers.1.precision == int8 layers.1.origins length 3 \
  layers.1.weights == int8 layers.1.inputs.0.scales length 1 layers.4.why == requested layers.4.precision == fp32 \
  layers.7.precision == bf16 layers.7.weights == bfloat16 || exit
"$TARE" inspect x.plan --layer-info | "$JSON_CHECK" Layers length 9 Layers.4.Name == mixed
