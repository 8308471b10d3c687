# Recordings of different rates are told, unless they are made one.
model=$EXAMPLES/digits-conv/digits-conv.onnx
folder=$EXAMPLES/digits-conv/calib
"$TARE" calibrate "$model" "$folder" -o digits.stats >text || exit
"$TARE" calibrate "$model" "$folder" --rate 8000 -o digits.stats -q >text || exit
"$TARE" inspect "$folder" --rate 8000 >text || exit
"$TARE" run "$model" "$folder" --profile samples=1000:20000:200000 >text || exit
