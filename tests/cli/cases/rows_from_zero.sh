# Rows behind a Relu, a Clip and a Sigmoid count from 0, those behind a Tanh are around 128: with the same bits on every
# instruction set and from a file, and shown where they are tensors.
model=$SOURCE/tests/fixtures/rows/relu.onnx data=$SOURCE/tests/fixtures/rows/relu.npy
for isa in native scalar avx2; do
  "$TARE" build -q "$model" --fp32 --profile t=1:40:100 --layer-precisions '*:int8-rows' --isa $isa -o $isa.plan >text || exit
  "$TARE" run -q $isa.plan "$data" --against native.plan --json | "$JSON_CHECK" max_abs_error == 0 || exit
done
"$TARE" run -q native.plan "$data" --against "$model" --json | "$JSON_CHECK" sqnr_db '>=' 37 || exit
"$TARE" inspect native.plan --layers '*' | grep __rows: | sort | uniq -c | sed 's/^ *//'
"$TARE" inspect native.plan --json | tr -d ' \t\n' | grep -o '"row_scales":true,"zero_point":[0-9]*' | sort | uniq -c | sed 's/^ *//'
