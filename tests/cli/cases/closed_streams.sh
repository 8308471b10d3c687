# A file that is written does not take the place of a closed stream.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" build "$model" --fp32 --profile samples=1000:2000:3000 -o open.plan >text || exit
"$TARE" build "$model" --fp32 --profile samples=1000:2000:3000 -o closed.plan >&-
echo "exit $?"
cmp open.plan closed.plan
"$TARE" build "$model" --fp32 --profile samples=1:2:3000 -o none.plan 2>&-
echo "exit $?"
"$TARE" run open.plan "$EXAMPLES/digits-conv/eval" --rate 8000 --limit 1 --outside nearest \
  --save-outputs closed.h5 <&- >&- 2>&-
echo "exit $?"
ls
"$TARE" run --help >&-
echo "exit $?"
"$TARE" run --help 2>&1 >/dev/full
echo "exit $?"
