# A list that is empty in some samples: its length is 0 in every command.
model=$SOURCE/tests/fixtures/onnx/good_words.onnx
mkdir data
cp "$SOURCE"/tests/fixtures/onnx/good_words_[0-4].npz data || exit
"$TARE" run "$model" data --save-outputs float.h5 2>&1 >text || exit
h5ls -r float.h5/1 | sed "s/ \+/ /g"
h5dump -d /1/sum -y -w 0 -m %.1f float.h5 | sed -n '/DATA {/,/}/p' | sed -n 2p
"$TARE" calibrate "$model" data --profile auto -o words.stats --threads 1 -q >text || exit
"$TARE" calibrate "$model" data --profile auto -o two.stats --threads 2 -q >text || exit
cmp words.stats two.stats && echo "the same statistics with two threads"
"$TARE" table words.stats -o table.json -q >text || exit
"$TARE" build "$model" --calib table.json --isa any --layer-precisions "*:int8" -q -o int8.plan >text || exit
"$TARE" inspect int8.plan | grep "^profile"
"$TARE" run int8.plan data --against "$model" --json 2>text | "$JSON_CHECK" samples == 5 sqnr_db '>' 15 || exit
"$TARE" build "$model" --fp32 --profile T=1:4:9,N=0:1:9 -o float.plan >text || exit
"$TARE" run float.plan data --against "$model" --json 2>text | "$JSON_CHECK" samples == 5 || exit
"$TARE" bench float.plan --symbols T=4,N=0 --iterations 2 --duration 0 --json | "$JSON_CHECK" shape == 'T=4,N=0' || exit
"$TARE" quantize "$model" data --profile auto -o int8.onnx -q >text || exit
"$TARE" run int8.onnx data --against "$model" --json 2>text | "$JSON_CHECK" samples == 5 || exit
"$TARE" profiles data --model "$model" --symbol N --count 2 | grep '^symbol\|^--profile'
"$TARE" compare "$model" data --eval data --methods minmax --json 2>text >compared || exit
"$TARE" debug compare float.plan data --against "$model" >text || exit
"$TARE" tune "$model" data --eval data --profile auto --time-limit 1 -o tuned.plan -q >text || exit
echo "what is wrong"
"$TARE" run "$model" data --profile T=1:4:9,N=1:2:3 -q
echo "exit $?"
"$TARE" build "$model" --fp32 --profile T=4,N=0 -o none.plan -q >text && "$TARE" run none.plan data/good_words_1.npz -q >text
echo "exit $?"
"$TARE" build "$model" --fp32 --profile T=0,N=0:1:2 -o none.plan -q >text
echo "exit $?"
