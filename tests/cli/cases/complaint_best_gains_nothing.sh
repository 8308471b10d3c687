# "--best gains nothing, and no word why": the advice of bench counts the time of each layer for one cause, and names the
# layers. Here a function has no int8 form, a pair converts for one product only, and copies are bound by memory.
model=$SOURCE/tests/fixtures/precision/causes.onnx
"$TARE" build "$model" --profile frames=1:400000:400000 -q -o x.plan >text || exit
bench() {
  "$TARE" bench x.plan --duration 0 --iterations 3 --warmUp 0 --threads 1 --advice "$@"
}
bench | grep -c -e '^cause .*slowest' -e '^cannot be quantized .* slow'
bench --json | "$JSON_CHECK" advice.causes length 6 advice.causes.2.cause == operator advice.causes.2.names.0 == "slow + y" \
  advice.causes.2.ms '>' 0 || exit
bench --json | tr -d ' \t\n' | grep -o '"cause":"pairs"[^]]*' | grep -o '"q"'
# That a copy is bound by memory is measured, on tensors beyond the caches: another process may disturb it, and code
# that sanitizers slow down is not bound by it. Then the share that was measured must say so.
try=0
until bench --json | tr -d ' \t\n' >text && grep -o '"cause":"memory"[^}]*' text | grep -q '"copied"'; do
  share=$(grep -o '"name":"copied"[^}]*' text | sed -n 's/.*"copy_share":\([0-9.]*\).*/\1/p')
  try=$((try + 1))
  [ $try -lt 3 ] || { awk "BEGIN { exit !($share > 0 && $share <= 0.5) }" && break || exit 1; }
done
