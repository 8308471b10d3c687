# Models of few samples have wider scales, and a warning where nothing else tells how they do on others.
model=$EXAMPLES/digits-conv/digits-conv.onnx data=$EXAMPLES/digits-conv/calib
quantize() {
  "$TARE" quantize "$model" "$data" --rate 8000 --method minmax --raise-layers off -o x.onnx "$@" 2>&1 >text |
    grep -o 'warning: x.onnx is calibrated.*'
}
echo "== three"
quantize --limit 3
echo "== three, and others"
quantize --limit 3 --eval "$EXAMPLES/digits-conv/eval"
grep -c SQNR text
echo "== four"
quantize --limit 4 || echo none
