# Names that are nearly right.
model=$EXAMPLES/digits-conv/digits-conv.onnx
data=$EXAMPLES/digits-conv/calib
meant() {
  "$TARE" "$@" 2>said
  echo "exit $?"
  grep 'did you mean' said || echo "no suggestion: tare $*: $(cat said)"
}
meant calibrat "$model"
meant help tabel
meant calibrate "$model" "$data" -o x.json --method entorpy
meant calibrate "$model" "$data" -o x.stats --fit naitve
meant calibrate "$model" "$data" -o x.stats --outside neares
meant calibrate "$model" "$data" -o x.stats --pad-stats counted
meant calibrate "$model" "$data" -o x.stats --pad-value audo=1
meant build "$model" --fp32 --profile sample=1:2:3 -o x.plan
meant build "$model" --fp32 --profile samples=1000:2000:3000 --precision-constraints preferred -o x.plan
meant build "$model" --fp32 --profile samples=1000:2000:3000 --layer-precisions '/head/Con:fp32' \
  -o x.plan
meant run "$model" "$data" --labels digits --metric accurcy
meant run "$model" "$data" --lables digits
meant run "$model" "$data" --features whispr
meant table x.stats -o x.cache --format tr
ls
"$TARE" calibrate x.plan "$data" -o x.stats
"$TARE" build "$model" --fp32 --profile samples=1000:2000:3000 -o x.plan >said
"$TARE" calibrate x.plan "$data" -o x.stats
echo "exit $?"
