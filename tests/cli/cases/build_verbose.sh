# With --verbose, build tells how each layer got its precision, and which nodes it fuses.
model=$SOURCE/tests/fixtures/onnx/good_quantized.onnx
"$TARE" build "$model" --profile batch=1,samples=100:1000:2000 -o q.plan -v >/dev/null
"$TARE" build "$EXAMPLES/digits-conv/digits-conv.onnx" --fp32 --profile samples=1000:2000:3000 \
  -o f.plan -v 2>&1 >/dev/null | head -5 >&2
