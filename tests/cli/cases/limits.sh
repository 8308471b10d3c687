# What files ask for is held against limits: each says its name, exits with 5, and can be raised.
EXAMPLES=$SMALL
models=$SOURCE/tests/fixtures/onnx
attempt() {
  "$TARE" "$@" >/dev/null 2>message
  echo "exit $?: $(sed -n '1{s/^tare: //;p;}' message)"
}
once='--duration 0 --iterations 1 --warmUp 0 -q'
attempt bench "$models/bomb_loop_turns.onnx" --max-loop-turns 1000 $once
attempt bench "$models/bomb_loop_grow.onnx" --max-tensor 1M $once
attempt bench "$models/bomb_loop_grow.onnx" --max-tensor 64Ki $once
attempt bench "$models/bomb_loop_turns.onnx" --max-loop-turns 1000000000000 --max-seconds 1 $once |
  sed 's/(Loop): .*: /(Loop): /'
attempt build "$models/bomb_fold.onnx" --fp32 --max-seconds 1 -o x.plan | sed 's/product_[0-9]*/product_N/'
attempt build "$models/bomb_tile.onnx" --fp32 -o x.plan
attempt build "$models/bomb_conv_pads.onnx" --fp32 --profile n=1:4:8 --max-memory 2G -o x.plan
attempt build "$models/good_small.onnx" --fp32 --profile batch=1:2:1000000000,seq=1:1:1 --max-memory 2G -o x.plan
attempt build "$models/good_small.onnx" --fp32 --profile batch=1:2:100 --max-memory 2G -o x.plan -q
attempt inspect "$models/good_unsorted.onnx" --max-nodes 1
attempt inspect "$models/good_small.onnx" --max-memory 5X
attempt inspect "$models/good_small.onnx" --max-memory 5Gx
attempt inspect "$models/good_small.onnx" --max-nesting 0
[ -f x.plan ] && echo 'the plan that fits is there'

# Nothing waits for a pipe, whatever the file is for.
mkfifo pipe.onnx pipe.wav pipe.json pipe.csv pipe.h5 pipe.npz
attempt inspect pipe.onnx
attempt inspect /dev/null
attempt build "$models/good_small.onnx" --calib pipe.json -o y.plan
attempt table pipe.h5 -o y.json
for file in pipe.wav pipe.csv pipe.h5 pipe.npz; do
  attempt run "$EXAMPLES/digits-conv/digits-conv.onnx" $file -q
done

# External data lies where the file itself lies: beside the model, beside the file that a link to the
# model leads to, or where the user allows it.
mkdir beside blobs links elsewhere
cp "$models/good_external.onnx" beside/m.onnx
cp "$models/weights.bin" beside
attempt inspect beside/m.onnx
cp "$models/good_external.onnx" blobs/1
cp "$models/weights.bin" blobs/2
ln -s ../blobs/1 links/m.onnx
ln -s ../blobs/2 links/weights.bin
attempt inspect links/m.onnx
cp "$models/weights.bin" elsewhere
ln -sf ../elsewhere/weights.bin beside/weights.bin
attempt inspect beside/m.onnx
attempt inspect beside/m.onnx --allow-external elsewhere
ln -sf /dev/zero beside/weights.bin
attempt inspect beside/m.onnx --allow-external /dev
