# A table that gives no layer int8 is said to.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib/0000.wav" -o digits.json -q >text || exit
"$TARE" build "$model" --calib digits.json -o digits.plan >text || exit
"$TARE" build "$model" --calib digits.json --layer-precisions '*:fp32' -o digits.plan >text || exit
