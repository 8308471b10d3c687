# Every hostile file goes through inspect, build, run, calibrate and bench: each says what it is, or why
# not in one sentence, in bounded time. stdout has the exit codes, stderr the sentences.
folder=$SOURCE/tests/fixtures/hostile

# attempt NAME ARGUMENT...: the code of a command, and what it says
attempt() {
  name=$1
  shift
  timeout 60 "$TARE" "$@" >/dev/null 2>message
  code=$?
  printf ' %s %d' "$1" $code
  [ $code -le 5 ] || echo "$name: exit $code: tare $*" >&2
  [ $code -eq 0 ] || [ "$(grep -c '^tare[ :]' message)" = 1 ] || echo "$name: not one sentence" >&2
  sed -e '/^[Tt]ry /d' -e "s|^|$name: |" message >&2
}

for model in "$folder"/*.onnx; do
  file=$(basename "$model")
  case $file in
    tilde_argmax*) profile=n=1:4:8,~Loop_0.0=1:4:8 ;;
    tilde_gemm*) profile=m=1:4:8,~Loop_0.0=1:4:8 ;;
    tilde_layer_norm* | tilde_add*) profile=~Loop_0.0=1:4:8 ;;
    tilde_range_0*) profile=~q0.0=1:4:8 ;;
    tilde_range*) profile=~q2.0=1:4:8 ;;
    empty_panels*) profile='batch=1:4:8,n + 1=1:4:8' ;;
    nan_weights*) profile=n=1:4:8 ;;
    *) profile= ;;
  esac
  data=${model%.onnx}.npz
  printf '%s:' "$file"
  attempt "$file" inspect "$model" -q
  attempt "$file" build "$model" --fp32 ${profile:+--profile "$profile"} -o x.plan -q
  if [ -f "$data" ]; then
    attempt "$file" run "$model" "$data" ${profile:+--profile "$profile"} -q
    attempt "$file" calibrate "$model" "$data" ${profile:+--profile "$profile"} -o x.json -q
    if [ -f x.json ]; then
      attempt "$file" build "$model" --calib x.json --small-layers int8 -o x.plan -q
      attempt "$file" run x.plan "$data" -q
      # What cannot be int8 says why.
      "$TARE" inspect x.plan | sed -n 's/.*\(weights .* contain NaN or Inf\).*/ (\1)/p' | tr -d '\n'
    fi
  fi
  rm -f x.plan x.json
  echo
done

# Plans get the number of the format that is written now, else nothing but the number would be read. What makes
# them hostile is behind it.
"$TARE" build "$SOURCE/tests/fixtures/onnx/good_small.onnx" --fp32 --profile batch=1,seq=1 -o now.plan -q >log || exit
for fixture in "$folder"/*.plan; do
  file=$(basename "$fixture")
  plan=$file
  cp "$fixture" "$plan"
  dd if=now.plan of="$plan" bs=1 skip=8 seek=8 count=8 conv=notrunc status=none
  printf '%s:' "$file"
  attempt "$file" inspect "$plan" --max-memory 16G -q
  attempt "$file" inspect "$plan" --layers '*' --max-memory 16G -q
  attempt "$file" inspect "$plan" --dot --max-memory 16G -q
  attempt "$file" diff "$plan" "$plan" --max-memory 16G -q
  attempt "$file" bench "$plan" --max-memory 16G --duration 0 --iterations 1 --warmUp 0 -q
  echo
done
