# "A float16 island of the model computes in something else, and nothing says so": build and inspect list the nodes that
# the model computes in float16, and in what the plan does. They compute in float32, without rounding in between.
fixtures=$SOURCE/tests/fixtures/precision
model=$fixtures/island.onnx profile="--profile batch=1:16:32"
# shellcheck disable=SC2086 # profile is an option and its value
"$TARE" build "$model" --fp32 $profile -q -o x.plan | grep ^float16
"$TARE" inspect x.plan | sed -n -e '/^float16/p' -e '/Cast/s/ *[^ ]*$//p'
"$TARE" inspect x.plan --layers half_bias | grep 'in the model'
"$TARE" inspect x.plan --json | "$JSON_CHECK" layers.3.origin_types length 4 layers.3.origin_types.0 == float16 \
  layers.4.origin_types.0 == none || exit
# As documented (NumPy rounds at the Casts only), and near to what rounding after each node gives.
"$TARE" run x.plan "$fixtures/island.npz" --against "$fixtures/island_golden.onnx" --json | "$JSON_CHECK" sqnr_db '>' 120 || exit
"$TARE" run x.plan "$fixtures/island.npz" --against "$fixtures/island_strict.onnx" --json | "$JSON_CHECK" sqnr_db '>' 60 || exit
# Quantized, in subgraphs, and in a model that is bfloat16 throughout.
# shellcheck disable=SC2086
"$TARE" calibrate -q "$model" "$fixtures/island.npz" $profile -o x.json >text || exit
"$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions half_product:int8 | grep ^float16
"$TARE" build "$fixtures/island_body.onnx" --fp32 --profile batch=1:2:4 -q -o x.plan | grep ^float16
"$TARE" build "$SOURCE/tests/fixtures/qdq/half_bfloat16.onnx" --fp32 --profile batch=1,frames=4:5:9 -q -o x.plan |
  grep ^bfloat16
# Models without short floats say nothing.
"$TARE" build "$fixtures/encoder.onnx" --fp32 --profile batch=4,frames=1:24:100 -q -o x.plan | grep -c float16 || true
