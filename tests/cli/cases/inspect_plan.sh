# What inspect shows of a plan: a table at 80 columns, layers in full, JSON, TensorRT's keys, Graphviz.
model=$SOURCE/tests/fixtures/onnx/good_quantized.onnx
"$TARE" build "$model" --profile batch=1,samples=100:1000:2000 --isa scalar -o q.plan -q >/dev/null || exit
COLUMNS=80 "$TARE" inspect q.plan
"$TARE" inspect q.plan | awk 'length > 80' | grep -c Quantize
"$TARE" inspect q.plan -v | sed -n '/^pass/,/^fuse_q/s/  *[0-9][0-9]*  *[0-9][0-9]* / N N /p'
"$TARE" inspect q.plan --layers 'C*'
"$TARE" inspect q.plan --layers nothing
echo "exit $?"
"$TARE" inspect q.plan --layers '*' | grep -c '^layer '
"$TARE" inspect q.plan --json | "$JSON_CHECK" kind == plan precisions.int8 '>' 0 \
  by_precision.0.layers '>' 0 by_precision.0.macs is number layers.1.origins length 1 \
  layers.1.inputs.0.dtype == uint8 layers.1.inputs.0.stated is true \
  layers.1.inputs.0.scales length 1 layers.1.weights == int8 layers.1.parent == -1 \
  layers.1.passes.1 == channels_last layers.1.inputs.1.weight_scales length 4 \
  passes.0.name == adopt_scales passes.0.changed '>' 0 passes.0.summary is text \
  layers.1.shapes.0.opt.macs '>' 0 layers.1.shapes.0.max.dims length 3 layers.1.why is text || exit

# Times of the layers, which those inside of others do not count twice.
"$TARE" build "$SOURCE/tests/fixtures/onnx/if_products.onnx" --fp32 --profile n=1:4:8 -o if.plan -q \
  --layer-precisions '*then*:bf16' >/dev/null || exit
cat >if.json <<'END'
[{"count": 2}, {"name": "choice", "averageMs": 7}, {"name": "choice/else_branch/else_product",
"averageMs": 3}, {"name": "choice/then_branch/then_product", "averageMs": 2}]
END
COLUMNS=80 "$TARE" inspect if.plan --times if.json | sed -n '/^int8 /,$p'
"$TARE" inspect if.plan --times if.json --json | "$JSON_CHECK" int8_share == 0 layers.0.average_ms == 2 \
  by_precision.1.average_ms == 2 by_precision.0.average_ms == 5 || exit
"$TARE" inspect if.plan --times if.json --layers choice | grep time
"$TARE" inspect q.plan --times if.json
sed 's/choice"/choose"/' if.json >other.json
"$TARE" inspect if.plan --times other.json
"$TARE" inspect if.plan --times if.plan
"$TARE" inspect if.plan --times missing.json
"$TARE" inspect if.plan q.plan --times if.json
"$TARE" inspect if.plan --times if.json --dot
"$TARE" inspect "$model" --times if.json | head -1

# Two profiles: the layers of the second have a suffix, as in TensorRT.
"$TARE" build "$EXAMPLES/digits-conv/digits-conv.onnx" --fp32 --profile samples=1000:5000:20000 \
  --profile samples=20001:30000:40000 -o two.plan -q >/dev/null || exit
"$TARE" inspect two.plan --layer-info | "$JSON_CHECK" Layers length 46 \
  Layers.0.Name == '/front/front.0/Conv + /front/front.2/Relu' Layers.0.ParameterType == Convolution \
  Layers.0.Inputs.0.Name == audio Layers.0.Inputs.0.Dimensions.3 == 5000 \
  Layers.0.Outputs.0.Format/Datatype == 'Channel major FP32 format' Layers.0.Weights.Type == Float \
  Layers.0.Weights.Count == 1600 Layers.23.Inputs.0.Dimensions.3 == 30000 \
  Layers.23.Name == '/front/front.0/Conv + /front/front.2/Relu [profile 1]' \
  Bindings.0 == audio 'Bindings.1' == 'audio [profile 1]' 'I/O Tensors.0.ProfileInfo' length 2 \
  'I/O Tensors.0.ProfileInfo.1.MaxShape.1' == 40000 'I/O Tensors.1.IOMode' == Output || exit
"$TARE" inspect q.plan --layer-info | "$JSON_CHECK" Layers.1.LayerType == QConvLast \
  Layers.1.Inputs.0.Format/Datatype == 'Channel major Int8 format' Layers.1.Weights.Type == Int8 || exit

# What the engine explorer reads of layers, or fails without: names, types, dims and formats of all
# tensors; of convolutions four dims, a kernel of two and groups; of reformats where they come from. The
# inputs and outputs of the plan are tensors of layers.
"$TARE" inspect q.plan --layer-info >info.json || exit
for i in 0 1 2 3; do
  "$JSON_CHECK" Layers.$i.Name is text Layers.$i.LayerType is text Layers.$i.ParameterType is text \
    Layers.$i.Inputs length 1 Layers.$i.Outputs length 1 Layers.$i.Inputs.0.Name is text \
    Layers.$i.Inputs.0.Dimensions.2 is number Layers.$i.Inputs.0.Format/Datatype is text \
    Layers.$i.Outputs.0.Name is text Layers.$i.Outputs.0.Format/Datatype is text \
    Layers.$i.TacticName is text Layers.$i.Metadata is text <info.json || exit
done
"$JSON_CHECK" Layers.1.ParameterType == Convolution Layers.1.Inputs.0.Dimensions length 4 \
  Layers.1.Outputs.0.Dimensions length 4 Layers.1.Outputs.0.Dimensions.1 == 4 Layers.1.Kernel length 2 \
  Layers.1.Kernel.0 == 1 Layers.1.Kernel.1 == 8 Layers.1.Groups == 1 Layers.1.OutMaps == 4 \
  Layers.1.HasBias is true Layers.1.Bias.Count == 4 Layers.1.Weights.Count == 32 \
  Layers.0.ParameterType == Reformat Layers.0.Origin == QDQ Layers.2.Origin == QDQ \
  Bindings.0 == audio Layers.0.Inputs.0.Name == audio Bindings.1 == y Layers.3.Outputs.0.Name == y \
  <info.json || exit

# Every layer is a node with an edge to it; int8 in green, float in red.
"$TARE" inspect q.plan --dot
"$TARE" inspect two.plan --dot | grep -c 'fillcolor="red"'

"$TARE" inspect q.plan --dot --json
"$TARE" inspect q.plan two.plan --dot
"$TARE" inspect q.plan --dot --layer-info
"$TARE" inspect "$model" --layer-info
"$TARE" inspect "$model" --layers x | head -1
"$TARE" inspect q.plan --layers 'C*' --json >/dev/null
