# "The type of the weights follows the type of the computation": here each is asked for by itself.
model=$SOURCE/tests/fixtures/precision/encoder.onnx data=$SOURCE/tests/fixtures/precision/encoder.npz
profile="--profile batch=4,frames=1:24:100"
layer() { # what one layer of the saved plan computes in and what its weights are, and the error of the plan
  "$TARE" inspect x.plan | awk '$1 == "again" { print "computes in " $2 ", weights " $4 }'
  "$TARE" run x.plan "$data" --against float.plan --json | "$JSON_CHECK" sqnr_db '>' "$1"
}
# shellcheck disable=SC2086 # profile is an option and its value
"$TARE" build "$model" --fp32 $profile -q -o float.plan >text || exit
for weights in fp16 bf16 int8; do
  # shellcheck disable=SC2086 # profile is an option and its value
  "$TARE" build "$model" --fp32 $profile -q -o x.plan --layer-weight-types "again:$weights" >text || exit
  layer 35 || exit
done
# of fewer samples, layers have no static scales
mkdir eight && for i in 1 2 3 4 5 6 7 8; do cp "$data" eight/$i.npz; done
# shellcheck disable=SC2086 # profile is an option and its value
"$TARE" calibrate -q "$model" eight $profile -o x.json >text || exit
for request in int16 int16-rows bf16; do
  "$TARE" build "$model" --calib x.json --small-layers int8 -q -o x.plan --layer-precisions "again:$request" >text || exit
  layer 15 || exit
done
# Where they do depend on each other, the report says why.
"$TARE" build "$model" --calib x.json --small-layers int8 -o x.plan --layer-weight-types again:fp16 | grep '^again'
