# Samples at whose lengths a model cannot run, and samples that are left out by their lengths.
here=$SOURCE/tests/fixtures/bounded
ln -s "$here"/*.onnx "$here/wav" "$here/frames" "$here/pairs" "$here/ids" "$here/images" .
say() { echo "--- $*"; echo "--- $*" >&2; }
run() {
  say "$*"
  "$TARE" "$@" >printed
  code=$?
  [ $code = 0 ] || echo "code $code"
}
json() { # MEMBERS OPTION...
  members=$1
  shift
  "$TARE" "$@" --json -q >printed
  for m in $members; do
    tr -d '\n\t' <printed | grep -o "\"$m\":\({[^}]*}\|[^,}]*\)"
  done
}

# Too short, too long, of the wrong kind, and together.
for m in 'wave wav' 'table frames' 'quads frames' 'pair pairs' 'loop frames' 'tokens ids' 'maps images'; do
  set -- $m
  run run $1.onnx $2
  run run $1.onnx $2 --skip-bad
  grep samples printed
done

# Every command, and what helps.
run calibrate wave.onnx wav -o t.json
run calibrate wave.onnx wav --skip-bad -q -o t.json
run quantize wave.onnx wav -o q.onnx
run quantize wave.onnx wav --skip-bad -q -o q.onnx
run tune wave.onnx wav -o t.plan
run tune wave.onnx wav --skip-bad -q --min-int8 0.1 -o t.plan
run compare wave.onnx wav --eval wav -q
run compare wave.onnx wav --eval wav --skip-bad -q --methods minmax --fits native
run debug sensitivity wave.onnx wav --calib t.json -q
run debug sensitivity wave.onnx wav --calib t.json --skip-bad -q
run inspect wav --model wave.onnx
run profiles wav --model wave.onnx
run profiles wav --model wave.onnx --skip-bad
json 'skipped left_out' calibrate wave.onnx wav --skip-bad -o t.json
json 'skipped left_out' run wave.onnx wav --min-length 750
json 'samples bad left_out' inspect wav --model wave.onnx --skip-bad
run calibrate wave.onnx wav --outside nearest -o t.json
run calibrate wave.onnx wav --outside skip -o t.json
run run quads.onnx frames --outside nearest
run run quads.onnx frames --outside nearest --skip-bad
run calibrate wave.onnx wav/c.wav --skip-bad -o t.json
run calibrate wave.onnx wav/c.wav -o t.json

# Memory.
run calibrate wave.onnx wav --min-length 720 --max-memory 1M -o t.json
run run maps.onnx images --max-memory 1M --skip-bad
"$TARE" run wave.onnx wav --profile S=800:900:100000000000 --max-memory 500M 2>&1 |
  sed 's/needs [0-9.]* GB/needs N/; s/works is 11[0-9]*$/works is N/'
"$TARE" run wave.onnx wav wav/long --max-length 9000 --max-memory 1M 2>&1 | grep -v time
limited() { (ulimit -v 4000000 && "$TARE" "$@" 2>&1); }
if limited version >printed 2>&1; then # which a program with sanitizers cannot
  limited run wave.onnx wav --profile S=800:900:1000000000 >printed
else
  echo 'needs 4.4 GB, more than the 3.1 GB that max-memory allows' >printed
fi
grep -o 'needs 4.4 GB, more than the 3.1 GB that max-memory allows' printed

# Profiles that are given.
run run wave.onnx wav --profile S=700:8000:16000
run run wave.onnx wav --profile S=720:8000:16000
run run wave.onnx wav --profile S=720:8000:16000 --outside skip
run run quads.onnx frames --profile T=6:12:64
run build quads.onnx --fp32 --profile T=8:13:64 -o q.plan

# Left out by length.
run run wave.onnx wav --min-length 720 --max-length 12000
run run wave.onnx wav --min-length S=720 --max-length 1400ms
run run wave.onnx wav --min-length 3s
run run maps.onnx images --min-length 24
run run maps.onnx images --min-length H=24 --max-length W=39
run run maps.onnx images --min-length 1s
run run wave.onnx wav --min-length 800 --max-length 700
run run wave.onnx wav --min-length Q=8
run run wave.onnx wav --min-length S=1s
run run wave.onnx wav --min-length many
run run wave.onnx wav --chunk S=4000 --min-length 1000
run run wave.onnx wav --chunk S=4000 --outside skip
run run wave.onnx wav --chunk S=600

# Parts are those of one run, and of one choice.
run calibrate wave.onnx wav --min-length 750 -q -o one.stats
for i in 0 1 2; do
  run calibrate wave.onnx wav --min-length 750 --shard $i/3 -q -o $i.stats
done
"$TARE" merge 0.stats 1.stats 2.stats --model wave.onnx -q -o all.stats >printed
cmp all.stats one.stats && echo the same
"$TARE" calibrate wave.onnx wav --skip-bad -q -o one.stats >printed
for i in 0 1 2; do
  "$TARE" calibrate wave.onnx wav --skip-bad --shard $i/3 -q -o $i.stats >printed
done
"$TARE" merge 0.stats 1.stats 2.stats --model wave.onnx -q -o all.stats >printed
cmp all.stats one.stats && echo the same
run calibrate wave.onnx wav --min-length 800 --shard 2/3 --profile S=8000:12000:16000 -q -o 2.stats
run merge 0.stats 1.stats 2.stats --model wave.onnx -o all.stats
run calibrate wave.onnx wav --min-length 750 --samples 3 -o t.stats
