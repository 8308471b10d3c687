# With --verbose, build tells how each layer got its precision, and which nodes it fuses.
model=$SOURCE/tests/fixtures/onnx/good_quantized.onnx
"$TARE" build "$model" --profile batch=1,samples=100:1000:2000 -o q.plan -v 2>&1 >/dev/null |
  sed 's/: [0-9]* nodes* changed, [0-9]* removed/: N nodes changed, N removed/' >&2
"$TARE" build "$EXAMPLES/digits-conv/digits-conv.onnx" --fp32 --profile samples=1000:2000:3000 \
  -o f.plan -v 2>&1 >/dev/null | grep -v '^tare: pass' | head -5 >&2
