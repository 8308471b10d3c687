# Why a layer is float names a tensor of the model, also where the layer reads another layout of it.
model=$SOURCE/tests/fixtures/onnx/good_mels.onnx
{
  printf '\223NUMPY\001\000\166\000%-117s\n' \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 23, 20), }"
  for i in $(seq 230); do
    printf '\000\000\200\077\000\000\000\300' # 1 and -2
  done
} >x.npy
"$TARE" calibrate "$model" x.npy -o x.json -q >text || exit
sed -i 's/"name": "x"/"name": "z"/' x.json
"$TARE" build "$model" --calib x.json --profile frames=1:20:40 -o x.plan -q | grep -o "no scale for .*"
