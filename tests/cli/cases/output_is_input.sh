# What a command reads it does not write over, under whatever name.
misuse() {
  "$TARE" "$@"
  code=$?
  [ $code = 2 ] || echo "exit $code: tare $*"
}
cp "$EXAMPLES/digits-conv/digits-conv.onnx" model.onnx
cp "$EXAMPLES/intents-mini/calib.h5" data.h5
cp data.h5 same.h5
cp model.onnx same.onnx
ln -s model.onnx link
ln data.h5 hard.h5
echo {} >tokenizer.json
echo samples=1000:2000:3000 >profiles.txt
misuse build model.onnx --fp32 --profile samples=1000:2000:3000 -o ./model.onnx
misuse build model.onnx --fp32 --profile samples=1000:2000:3000 -o link
misuse build model.onnx --fp32 --profile-file profiles.txt -o profiles.txt
misuse calibrate model.onnx data.h5 -o data.h5
misuse calibrate model.onnx data.h5 -o hard.h5
misuse calibrate model.onnx data.h5 --tokenizer tokenizer.json -o tokenizer.json
misuse run model.onnx data.h5 --save-outputs data.h5
misuse run model.onnx data.h5 --against link --save-outputs model.onnx
misuse table data.h5 --format json -o data.h5
"$TARE" calibrate model.onnx data.h5 -o /nowhere/x.stats
echo "exit $?"
# Two outputs are two files, under whatever name.
mkdir folder
ln -s folder same
misuse calibrate model.onnx data.h5 -o new.stats --checkpoint new.stats
misuse calibrate model.onnx data.h5 -o folder/new.stats --checkpoint same/new.stats
misuse bench model.onnx --exportProfile=new.json --trace=./new.json
"$TARE" build model.onnx --fp32 --profile-file profiles.txt -o folder
echo "exit $?"
# Nor does it remove what it finds there, and it looks before it works.
ln -s nowhere/x dangling
misuse5() {
  "$TARE" "$@"
  code=$?
  [ $code = 5 ] || echo "exit $code: tare $*"
}
text="$EXAMPLES/intents-mini/intents-mini.onnx data.h5 -q"
qdq=$SOURCE/tests/fixtures/onnx/check_good.onnx
for output in dangling new/ "$(printf %0300d 0)"; do
  # shellcheck disable=SC2086 # words
  {
    misuse5 quantize $text -o "$output"
    misuse5 tune $text --sqnr 20 -o "$output"
    misuse5 import-qdq "$qdq" -o "$output" --table new.json
    misuse5 build $qdq --profile-file profiles.txt -o "$output"
  }
done
cmp data.h5 same.h5
cmp model.onnx same.onnx
ls
