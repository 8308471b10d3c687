# Models of few samples have wider scales, and a warning where nothing else tells how they do on others.
EXAMPLES=$SMALL
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
echo "== seven, and eight: the scales"
for n in 7 8; do
  "$TARE" quantize "$model" "$data" --rate 8000 --method minmax --raise-layers off -o $n.onnx --limit $n --json -q 2>err >$n.json || exit
done
"$JSON_CHECK" headroom == 1.25 <7.json && "$JSON_CHECK" headroom == 1 <8.json
