# Latency and throughput, as text in trtexec's words and as JSON.
EXAMPLES=$SMALL
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
sed -n '/By precision/,$p' text | tr -s ' ' | cut -d ' ' -f 1,2
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

# Files for trace viewers and scripts, and advice.
"$TARE" bench digits.plan --iterations 2 --duration 0 --warmUp 0 --trace trace.json \
  --exportProfile profile.json --advice --json | "$JSON_CHECK" advice.layers length 23 \
  advice.layers.0.hot is true advice.layers.22.hot is false advice.layers.0.copy_share '>' 0 \
  advice.products length 1 advice.products.0.ms '>' 0 advice.convert_ms == 0 advice.saving_ms is null || exit
"$JSON_CHECK" traceEvents length 46 traceEvents.0.ph == X traceEvents.0.ts == 0 \
  traceEvents.0.cat == fp32 traceEvents.45.ts '>' 0 traceEvents.45.args.op == ConvLast <trace.json || exit
"$JSON_CHECK" . length 24 0.count == 2 1.timeMs '>' 0 1.averageMs '>' 0 1.medianMs '>' 0 \
  1.name == '/front/front.0/Conv + /front/front.2/Relu' 23.percentage '>=' 0 <profile.json || exit
"$TARE" build "$SOURCE/tests/fixtures/onnx/good_quantized.onnx" --profile batch=1,samples=100:1000:2000 \
  -o q.plan -q >/dev/null || exit
"$TARE" bench q.plan --iterations 2 --duration 0 --advice | sed -n 's/^\([CD].*layers*\),.*/\1/p'
"$TARE" build "$model" --fp32 --profile samples=1000:5000:20000 -o mixed.plan -q --layer-precisions \
  '*blocks.0*:bf16' --layer-weight-types '*blocks.1*:fp16' >/dev/null || exit
"$TARE" bench mixed.plan --iterations 2 --duration 0 --advice | sed -n 's/^\(P.*layers*\),.*/\1/p' | sort
"$TARE" bench q.plan --iterations 26000 --duration 0 --trace trace.json 2>&1 >/dev/null
"$TARE" bench digits.plan --trace digits.plan
echo "exit $?"
"$TARE" bench digits.plan --trace missing/trace.json
echo "exit $?"
[ ! -e missing ]

# Several contexts at the same time, each with states of its own.
"$TARE" bench digits.plan --streams 3 --iterations 2 --duration 0 --warmUp 0 --json | "$JSON_CHECK" \
  streams == 3 threads == 1 iterations == 6 throughput_qps '>' 0 || exit
"$TARE" bench digits.plan --streams 2 --threads 2 --iterations 2 --duration 0 | grep ^Streams
"$TARE" bench digits.plan --streams 2 --advice
echo "exit $?"
"$TARE" bench digits.plan --streams 0
echo "exit $?"
