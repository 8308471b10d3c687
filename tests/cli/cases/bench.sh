# Latency and throughput, as text in trtexec's words and as JSON.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" bench "$model" --shapes audio:1x4000 --iterations 3 --duration 0 --warmUp 0 --json \
  --dumpProfile | "$JSON_CHECK" iterations == 3 throughput_qps '>' 0 latency_ms.min '>' 0 \
  latency_ms.p99 '>=' 0 shape == batch=1,samples=4000 operations '>' 0 layers.0.percentage '>=' 0 || exit
"$TARE" build "$model" --fp32 --profile samples=1000:5000:20000 -o digits.plan >/dev/null || exit
"$TARE" bench digits.plan --iterations 2 --duration 0 --json | "$JSON_CHECK" \
  shape == batch=1,samples=5000 profile == 0 || exit
"$TARE" bench digits.plan --symbols samples=1600 --iterations 2 --duration 0 >text || exit
sed -e "s/[0-9][0-9.e+-]*/N/g" -e "s/N [kMG]*B/N bytes/g" text
"$TARE" bench digits.plan --iterations 2 --duration 0 --percentile 50,75 --dumpProfile >text || exit
grep -o 'percentile(75%)' text
grep -c '^ConvLast  *fp32  *[0-9]' text
grep '^total' text | tr -s ' ' | cut -d ' ' -f 2
"$TARE" bench digits.plan --percentile 50,101
echo "exit $?"
"$TARE" bench digits.plan --symbols samples=30000
echo "exit $?"
"$TARE" bench digits.plan --shapes video:1x3
echo "exit $?"
"$TARE" bench digits.plan --profile samples=1000:2000:3000
echo "exit $?"
"$TARE" bench "$model"
echo "exit $?"
"$TARE" bench "$EXAMPLES/intents-mini/intents-mini.onnx" --symbols sequence=16 --iterations 2 \
  --duration 0 --json | "$JSON_CHECK" iterations == 2
