# A wrong name is not a state: arrays that no input takes, beside inputs that have no data, are an error in every
# container and command, and states that are recognised need a reason.
names=$SOURCE/tests/fixtures/names
denoiser=$names/denoiser.onnx enhancer=$names/enhancer.onnx context=$names/context.onnx
echo "containers: embed for embeds"
# The arrays $2... of the fixtures in a folder $1, each as FILE=NAME.
folder() {
  mkdir -p "$1" && to=$1 && shift
  for pair in "$@"; do cp "$names/${pair%=*}.npy" "$to/${pair#*=}.npy"; done
}
folder typo embeds=embed mask=mask
folder a embeds=embeds mask=mask
(mkdir shard && cd shard && cp ../typo/embed.npy 0.embed.npy && cp ../typo/mask.npy 0.mask.npy && tar cf ../typo.tar *)
"$TARE" run "$names/rename.onnx" a --map a=embeds --map m=mask --save-outputs typo.h5 -q >text || exit
for data in "$names/typo.npz" typo typo.tar typo.h5; do
  "$TARE" calibrate "$denoiser" "$data" -o none.json
  echo "exit $?"
done
ls none.json 2>/dev/null
echo "commands"
"$TARE" quantize "$denoiser" typo.h5 -o none.onnx
echo "quantize: exit $?"
"$TARE" run "$denoiser" typo.h5
echo "run: exit $?"
"$TARE" tune "$denoiser" typo.h5 -o none.plan
echo "tune: exit $?"
"$TARE" compare "$denoiser" typo.h5 --eval a
echo "compare: exit $?"
"$TARE" compare "$denoiser" a --eval typo.h5
echo "compare, evaluation: exit $?"
"$TARE" profiles typo.h5 --model "$denoiser"
echo "profiles: exit $?"
"$TARE" inspect typo.h5 --model "$denoiser"
echo "inspect: exit $?"
"$TARE" calibrate "$denoiser" a -o right.json -q >text || exit
"$TARE" build "$denoiser" --calib right.json --profile n=6 -o right.plan -q >text || exit
"$TARE" debug compare right.plan typo.h5 --against "$denoiser"
echo "debug compare: exit $?"
"$TARE" debug sensitivity "$denoiser" typo.h5 --calib right.json
echo "debug sensitivity: exit $?"
"$TARE" debug reduce "$denoiser" typo.h5 --calib right.json -o none.onnx
echo "debug reduce: exit $?"
echo "what says which is meant"
"$TARE" calibrate "$denoiser" typo.h5 --map embeds=embed -o mapped.json -q >text || exit
cmp mapped.json right.json && echo "the same table"
echo "other names"
for name in Embeds embed-s EMBED embedds input; do
  folder "as-$name" embeds="$name" mask=mask
  "$TARE" run "$denoiser" "as-$name"
  echo "exit $?"
done
folder both embeds=embeding mask=msk h0=h0
"$TARE" run "$denoiser" both
echo "exit $?"
folder chunked embeds=embed mask=mask
"$TARE" run "$denoiser" chunked --chunk n=2
echo "exit $?"
"$TARE" run "$denoiser" "$names/wrong.npz"
echo "exit $?"
"$TARE" run "$denoiser" typo --skip-bad
echo "exit $?"
"$TARE" calibrate "$denoiser" typo --skip-bad --profile b=1,n=6 -o none.json
echo "exit $?"
echo "states, with a reason"
folder audio audio=audio
folder labelled audio=audio mask=label
folder whole audio=audio h0=h0
"$TARE" run "$enhancer" audio 2>&1 >text
"$TARE" run "$enhancer" labelled 2>&1 >text
"$TARE" run "$enhancer" whole 2>&1 >text
"$TARE" run "$context" audio 2>&1 >text
"$TARE" profiles audio --model "$enhancer" 2>&1 >text
"$TARE" calibrate "$enhancer" "$names/wrong.npz" -o whole.json 2>&1 >text
echo "states that the data seem to have"
"$TARE" run "$enhancer" "$names/hidden.npz"
echo "exit $?"
"$TARE" run "$enhancer" "$names/hidden.npz" --chunk n=30
echo "exit $?"
"$TARE" run "$enhancer" "$names/hidden.npz" --state hn:h0 -q >text
echo "exit $?"
"$TARE" run "$enhancer" "$names/hidden.npz" --map h0=h_0 -q >text
echo "exit $?"
folder other audio=audio ctx=memory
"$TARE" run "$context" other
echo "exit $?"
"$TARE" run "$context" other --state ctx_out:ctx -q >text
echo "exit $?"
echo "a missing file is a missing file"
"$TARE" calibrate "$enhancer" no.h5 -o none.json --map nothing=x
echo "exit $?"
"$TARE" compare "$denoiser" a --eval no.h5
echo "exit $?"
