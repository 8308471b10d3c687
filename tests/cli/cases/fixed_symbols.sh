# Models that are right only for one size of a symbol: all commands take them once the profiles fix it.
models=$SOURCE/tests/fixtures/onnx
data=data
mkdir $data
cp "$SOURCE/tests/fixtures/arrays/good_little_f4.npy" $data/x.npy # 2 x 3: one sample
"$TARE" inspect "$models/waits_squeeze.onnx" || exit
"$TARE" inspect "$models/waits_squeeze.onnx" --json | "$JSON_CHECK" nodes == 4 || exit
"$TARE" inspect "$models/waits_squeeze.onnx" --optimized
echo "exit $?"
for name in squeeze if reshape; do
  echo "== $name"
  model=$models/waits_$name.onnx
  for range in 1:1:4 4; do
    "$TARE" build "$model" --fp32 --profile batch=$range -o refused.plan >/dev/null
    echo "exit $?"
  done
  # Fixed in one profile only, and differently in two.
  "$TARE" build "$model" --fp32 --profile batch=1 --profile batch=1:2:3 -o refused.plan >/dev/null
  echo "exit $?"
  "$TARE" build "$model" --fp32 --profile batch=1 --profile batch=2 -o refused.plan >/dev/null
  echo "exit $?"
  "$TARE" calibrate "$model" $data --profile batch=1 -o x.calib.json >/dev/null || exit
  "$TARE" build "$model" --calib x.calib.json --small-layers int8 -o int8.plan -q >/dev/null || exit
  "$TARE" build "$model" --fp32 --profile batch=1 -o float.plan >/dev/null || exit
  "$TARE" inspect float.plan | grep puts || exit
  "$TARE" run int8.plan $data --against "$model" --json | "$JSON_CHECK" samples == 1 || exit
  "$TARE" run float.plan $data --against "$model" --json | grep -c '"equal":[[:space:]]*true' || exit
  "$TARE" bench float.plan --shapes x:2x2x3 --iterations 2 --duration 0
  echo "exit $?"
  "$TARE" compare "$model" $data --eval $data --profile batch=1 --methods minmax --fits native \
    >/dev/null || exit
  "$TARE" bench "$model" --profile batch=1 --iterations 2 --duration 0 --json |
    "$JSON_CHECK" shape == batch=1 || exit
done
ls
