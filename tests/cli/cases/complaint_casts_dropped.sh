# "Consecutive Casts were dropped": a Cast to float16 or bfloat16 rounds, and overflows to infinity, wherever a fusion
# would join the nodes around it. The outputs are those of NumPy, bit for bit.
fixtures=$SOURCE/tests/fixtures/precision
"$TARE" build "$fixtures/casts.onnx" --fp32 --profile batch=1:1:4 -q -o x.plan | grep ^layers
"$TARE" run x.plan "$fixtures/casts.npz" --against "$fixtures/casts_golden.onnx" --json | "$JSON_CHECK" equal is true || exit
"$TARE" inspect x.plan --json | tr -d ' \t\n' | grep -o '"dtype":"b*float16"' | sort | uniq -c | tr -s ' '
