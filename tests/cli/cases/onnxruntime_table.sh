# ONNX Runtime's tables: ranges inside the thresholds, and the way back.
model=$EXAMPLES/digits-conv/digits-conv.onnx
"$TARE" calibrate "$model" "$EXAMPLES/digits-conv/calib" --rate 8000 --limit 4 --all-tensors -o x.stats -q >text || exit
"$TARE" table x.stats --method percentile --percentile 99 -o x.ort.json
"$TARE" table x.ort.json -o again.ort.json
cmp x.ort.json again.ort.json
"$TARE" table x.ort.json -o x.json -q >text
"$TARE" build "$model" --calib x.ort.json -o x.plan --profile samples=1000:20000:160000 -q >text
echo "exit $?"
cat >calibration.json <<'END'
{"CLS": "TensorsData", "data": {"x": {"lowest": {"data": [-1.0, -2.0], "dtype": "float32", "CLS": "numpy.array"},
 "highest": {"data": 0.5, "dtype": "float32", "CLS": "numpy.array"}}},
 "calibration_method": {"CLS": "CalibrationMethod", "value": "CalibrationMethod.MinMax"}}
END
"$TARE" inspect calibration.json
echo "exit $?"
sed -i 's/, -2.0//' calibration.json
"$TARE" inspect calibration.json
echo "exit $?"
"$TARE" table x.ort.json --format ort -o calibration.json
echo "exit $?"
ls
