# "--best gains nothing, and no word why": the advice of bench counts the time of each layer for one cause, and names the
# layers. Here a function has no int8 form, a pair converts for one product only, and copies are bound by memory.
model=$SOURCE/tests/fixtures/precision/causes.onnx
"$TARE" build "$model" --profile frames=1:400000:400000 -q -o x.plan >text || exit
bench() {
  "$TARE" bench x.plan --duration 0 --iterations 3 --warmUp 0 --threads 1 --advice "$@"
}
bench | grep -c -e '^cause .*slowest' -e '^scales missing or misplaced .* q$'
bench --json | "$JSON_CHECK" advice.causes length 6 || exit
bench --json | tr -d ' \t\n' | grep -o '"cause":"pairs"[^]]*' | grep -o '"q"'
# Whether memory bounds a layer is measured, on tensors beyond the caches: another process may disturb it, vectors may make
# the function as fast as a copy, and code that sanitizers slow down is not bound by memory. Then the share that was
# measured must say so.
bound_by() { # LAYER CAUSE COMPARISON: of its share with 0.5 where another cause is counted
  try=0
  until bench --json | tr -d ' \t\n' >text && grep -o "\"cause\":\"$2\"[^}]*" text | grep -qF "\"$1\""; do
    share=$(grep -o "\"name\":\"$1\"[^}]*" text | sed -n 's/.*"copy_share":\([0-9.]*\).*/\1/p')
    try=$((try + 1))
    [ $try -lt 3 ] || { awk "BEGIN { exit !($share > 0 && $share $3 0.5) }" && break || exit 1; }
  done
}
bound_by copied memory '<='
bound_by slow+y operator '>'
