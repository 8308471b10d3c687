# A file of another kind is named as what it is, and what is expected.
folder=$EXAMPLES/digits-conv
"$TARE" calibrate "$folder/digits-conv.onnx" "$folder/calib" --rate 8000 --limit 2 -o x.stats -q >text ||
  exit
"$TARE" table x.stats -o x.json -q >text || exit
"$TARE" build "$folder/digits-conv.onnx" --fp32 --profile samples=1000:2000:3000 -o x.plan -q >text || exit
wrong() {
  "$TARE" "$@"
  code=$?
  [ $code = 3 ] || echo "exit $code: tare $*"
}
wrong merge x.stats x.json -o y.stats
wrong merge missing.stats -o y.stats
wrong table x.plan -o y.json
wrong check x.plan
wrong import-qdq x.json -o y.onnx --table y.json
wrong export x.plan --calib x.json -o y.onnx
wrong quantize x.stats "$folder/calib" -o y.onnx
# outputs of two models that have the same name and another shape
fixtures=$SOURCE/tests/fixtures/onnx
{
  printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }"
  head -c 16 /dev/zero
} >x.npy
wrong run "$fixtures/good_unsorted.onnx" x.npy --against "$fixtures/good_external.onnx" -q
wrong diff x.stats x.plan
wrong diff x.plan x.stats
wrong diff x.stats "$folder/digits-conv.onnx"
mkfifo pipe
wrong diff pipe x.plan
