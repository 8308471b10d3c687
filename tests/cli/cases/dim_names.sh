# Symbols of a model that are called like the dims that tare names itself stay apart from them.
model=$SOURCE/tests/fixtures/onnx/good_dim_names
profile="n=1:2:9,x_d2=1:3:9,x_d2_=1:5:9,~nz.0=1:4:9,'2 * n'=1:7:9"
"$TARE" inspect "$model.onnx" | grep '\[' || exit
"$TARE" inspect "$model.onnx" --optimized | grep Reshape || exit
"$TARE" run "$model.onnx" "$model.npz" --profile "$profile" --save-outputs model.h5 -q >text || exit
"$TARE" build "$model.onnx" --fp32 --profile "$profile" -o model.plan -q >text || exit
"$TARE" run model.plan "$model.npz" --save-outputs plan.h5 -q >text || exit
h5ls -r model.h5
cmp model.h5 plan.h5 && echo "the plan gives the same"
h5dump -d /0/flat model.h5 | sed -n 's/.*(0): *//p'
