# Profiles in trtexec's words, in ours, from a file, and why they are refused.
model=$EXAMPLES/digits-conv/digits-conv.onnx
build() {
  "$TARE" build "$model" --fp32 -o x.plan "$@" --json >result
  code=$?
  tr -d ' \t\n' <result | sed -e 's/.*"profiles":\(\[[^]]*\]\).*/\1 /'
  echo "exit $code"
}
build --profile samples=1000:2000:3000
build --optShapes=audio:1x2000
build --minShapes=audio:1x1000 --optShapes=audio:1x2000 --maxShapes=audio:2x3000
build --profile=0 --optShapes=audio:1x2000 --profile=1 --minShapes=audio:1x2000 \
  --optShapes=audio:1x3000 --maxShapes=audio:1x4000
printf 'samples=1000:2000:3000 # short\n\nsamples=3001:4000:5000\n' >profiles.txt
build --profile-file profiles.txt --profile samples=6000
build --profile samples=3000:2000:1000
build --profile seconds=1:2:3
build --optShapes=video:1x2000
build --profile samples
build
"$TARE" run x.plan "$EXAMPLES/digits-conv/eval" --profile samples=1:2:3
echo "exit $?"
"$TARE" run x.plan "$EXAMPLES/digits-conv/eval" --isa scalar
echo "exit $?"
"$TARE" bench x.plan --isa scalar
echo "exit $?"
"$TARE" run x.plan "$EXAMPLES/digits-conv/eval" --rate 8000 --limit 1
echo "exit $?"
"$TARE" run "$model" "$EXAMPLES/digits-conv/eval" --rate 8000 --limit 1 --profile samples=0:1:1
echo "exit $?"
