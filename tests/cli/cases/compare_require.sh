# Bounds for continuous integration: the exit code says whether what ranks first keeps them.
example=$EXAMPLES/intents-mini
compare() {
  "$TARE" compare "$example/intents-mini.onnx" "$example/calib.h5" -q --eval "$example/eval.h5" --limit 30 --fits native \
    --methods minmax "$@"
}
with_metric="--labels labels --metric accuracy"
echo "# kept"
compare $with_metric --require 'accuracy>=fp32-5%,sqnr>=20' --require 'top-1>=90' >text
echo "exit $?"
sed -n '/^requirement/,$p' text | sed -e 's/[0-9][0-9]*\.[0-9][0-9]*/N/g' -e 's/  */ /g'
compare $with_metric --require 'accuracy>=fp32-5%,sqnr>=20,top-1<=99.9' --json |
  "$JSON_CHECK" requirements length 3 requirements.0.fulfilled is true requirements.0.sure is true \
  requirements.1.value '>' 20 requirements.1.bound == 20 requirements.2.sure is false || exit
echo "# not kept"
compare --require 'sqnr>=90 dB' >text 2>/dev/null
echo "exit $?"
compare --require 'sqnr>=90,top-1<=10%,top-1>=50' >text 2>said
echo "exit $?"
sed -e 's/[0-9][0-9]*\.[0-9][0-9]*/N/g' said
echo "# not understood"
for wrong in sqnr 'sqnr>30' 'sqnr>=' 'sqnr>=thirty' 'sqnr>=30 dBm' 'speed>=2' 'accuracy>=90' 'sqnr>=fp32-1' ''; do
  compare --require "$wrong" 2>said
  echo "exit $?"
  head -1 said
done
compare $with_metric --require 'accuracy>=fp32*2' 2>said
echo "exit $?"
head -1 said
exit 0
