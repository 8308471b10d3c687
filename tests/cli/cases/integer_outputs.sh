# A model whose outputs are integers: plans are judged by the float values that decide them.
model=$SOURCE/tests/fixtures/onnx/good_tags.onnx
mkdir data
cp "$SOURCE"/tests/fixtures/onnx/good_tags_[0-3].npz data || exit
"$TARE" calibrate "$model" data -o tags.json --json 2>/dev/null >said || exit
"$JSON_CHECK" accuracy.samples == 4 accuracy.sqnr_db '>' 25 accuracy.equal is false <said || exit
"$TARE" build "$model" --calib tags.json --small-layers int8 --isa any -o tags.plan -q >text || exit
"$TARE" inspect tags.plan | grep -c '^outputs.*tags'
"$TARE" run tags.plan data --against "$model" --json 2>/dev/null >said || exit
"$JSON_CHECK" sqnr_db is null top1_agreement '>' 0.9 top1_agreement '<' 1 <said || exit
"$TARE" run tags.plan data --against "$model" 2>&1 | grep -e SQNR -e "max abs" -e "^[tlr][a-z]* *-"
"$TARE" debug sensitivity "$model" data --calib tags.json --layer-precisions '*:int8-rows' --isa any --json 2>/dev/null |
  "$JSON_CHECK" quantized_sqnr_db '>' 40 layers.0.sqnr_db '>' 40 || exit
# A bound holds for the same values, and the plan that is found has the outputs of the model.
"$TARE" tune "$model" data --sqnr 30 --min-int8 80% -o tuned.plan --json 2>/dev/null >said || exit
"$JSON_CHECK" chosen.holds is true chosen.sqnr_db '>' 30 <said || exit
"$TARE" inspect tuned.plan --json | grep -c '"lengths"'
"$TARE" quantize "$model" data --method minmax --raise-layers off -o tags.int8.onnx 2>&1 >text | sed -n 's, [0-9.]* % of its, N % of its,p'
