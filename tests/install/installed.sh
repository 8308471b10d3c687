#!/bin/sh
# installed.sh CMAKE CC PKG_CONFIG BUILD SOURCE: what is installed is enough to build the examples with, by pkg-config and by
# CMake, and to use them and the command, its manual and its completions from where it was moved.
set -eu
cmake=$1 cc=$2 pkg_config=$3 build=$4 source=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/put" >/dev/null
mv "$work/put" "$work/prefix" # nothing may remember where it was put
prefix=$work/prefix
library=$(dirname "$(find "$prefix" -name libtare.so.0)")
intents=$source/examples/intents-mini
cd "$work"

echo "== command"
"$prefix/bin/tare" --version
for page in "$source"/docs/man/*.1; do
  test -s "$prefix/share/man/man1/${page##*/}"
done

echo "== CMake"
cp -R "$source/examples/c" examples
"$cmake" -S examples -B built -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
"$cmake" --build built >/dev/null
"$work/built/calibrate" "$intents/intents-mini.onnx" sequence=4:64:512 "$intents/calib.h5" a.plan

echo "== pkg-config"
export PKG_CONFIG_PATH="$library/pkgconfig"
for example in examples/*.c; do
  # shellcheck disable=SC2046 # a list of flags
  "$cc" -std=c11 -Wall -Wextra -Werror "$example" $("$pkg_config" --cflags --libs tare) \
    -Wl,-rpath,"$library" -pthread -lm -o "$(basename "$example" .c)"
done
"$work/calibrate" "$intents/intents-mini.onnx" sequence=4:64:512 "$intents/calib.h5" b.plan
cmp a.plan b.plan
printf '2 17 23 3\n2 3\n2 17 23 5 6 7 8 9 3\n' | "$work/infer" a.plan >answers 2>complaints
test "$(wc -l <answers)" -eq 2
grep -q 'sequence' complaints
"$prefix/bin/tare" run a.plan "$intents/eval.h5" --metric accuracy --labels labels -q --limit 5 >/dev/null

echo "== examples"
digits=$source/examples/digits-conv
tare=$prefix/bin/tare
"$tare" calibrate "$digits/digits-conv.onnx" "$digits/calib" --rate 8000 -q -o digits.stats
"$work/own_calibrator" digits.stats 12 digits.json
"$tare" build "$digits/digits-conv.onnx" --calib digits.json --profile samples=2000:20000:90000 -q -o digits.plan
"$work/recognize" digits.plan 8000 0123456789 "$digits/eval" >heard
test "$(wc -l <heard)" -eq "$(find "$digits/eval" -type f ! -name '*.csv' | wc -l)"
# What is heard is what the file of labels says.
awk -F, 'NR > 1 {print $1, $2}' "$digits/eval/labels.csv" | while read -r name digits_said; do
  grep -q "$name.*$(printf '\t')$digits_said$" heard || echo "$name"
done >misheard
test "$(wc -l <misheard)" -le 2

"$work/own_table" digits.json lines.txt
"$work/own_table" lines.txt again.json
"$tare" build "$digits/digits-conv.onnx" --calib again.json --profile samples=2000:20000:90000 -q -o again.plan
"$work/own_metric" "$intents/intents-mini.onnx" a.plan "$intents/eval.h5" labels 3 | grep -q '^fp32 0\.[0-9]*, plan 0\.'

# Recordings that the program reads have the thresholds that the same ones have as WAV files, whose headers take 44 bytes.
mkdir waves
for i in 0000 0015; do
  cp "$digits/calib/$i.wav" waves
  tail -c +45 "waves/$i.wav" >"$i.pcm"
done
"$work/own_reader" "$digits/digits-conv.onnx" samples=2000:20000:90000 fed.json 0000.pcm 0015.pcm | grep -q 'from 2 recordings'
"$tare" calibrate "$digits/digits-conv.onnx" waves --rate 8000 --profile samples=2000:20000:90000 --method minmax -q -o read.json
"$work/own_table" fed.json fed.txt
"$work/own_table" read.json read.txt
cmp fed.txt read.txt
: >empty.pcm
"$work/own_reader" "$digits/digits-conv.onnx" samples=2000:20000:90000 never.json 0000.pcm empty.pcm 2>complaint && exit 1
grep -q 'recordings\[1\].*empty.pcm: expected 1 to' complaint

# Several workers answer as one does, in the order of the requests; a request out of range stops none.
for i in 1 2 3 4 5 6 7 8; do printf '2 17 23 3\n2 3\n2 17 23 5 6 7 8 9 3\n'; done >requests
"$work/server" a.plan 4 <requests >many
"$work/server" a.plan 1 <requests | cmp - many
test "$(wc -l <many)" -eq 24
test "$(grep -c sequence many)" -eq 8

printf 'my card is lost\nplease cancel my transfer, my card is lost\n' >texts.txt
"$work/classify" a.plan "$source/tests/fixtures/tokenizers/words.json" texts.txt >classes
test "$(wc -l <classes)" -eq 2

"$tare" build "$source/tests/fixtures/onnx/good_stream.onnx" --fp32 --profile samples=500,batch=1 -q -o stream.plan
recording=$(find "$digits/eval" -type f -name '*.wav' | LC_ALL=C sort | head -n 1)
"$work/stream" stream.plan stateN:state 500 "$recording" >chunks
test "$(wc -l <chunks)" -gt 3

echo "== static library"
# shellcheck disable=SC2046 # a list of flags
"$cc" -std=c11 "$source/examples/c/infer.c" $("$pkg_config" --cflags --libs tare-static) -o infer-static
ldd infer-static | grep -q libtare && exit 1
printf '2 17 23 5 6 7 8 9 3\n' | "$work/infer-static" a.plan >static-answer
tail -n 1 answers | cmp - static-answer

echo "== completions"
PATH=$prefix/bin:$PATH
completed() { # SHELL SCRIPT EXPECTED: skipped without the shell
  command -v "$1" >/dev/null || return 0
  got=$("$1" -c "$2" | tr '\n' ' ')
  case $got in
  *"$3"*) ;;
  *)
    echo "$1 completes '$got', expected $3"
    exit 1
    ;;
  esac
}
bash_words() { # WORD...: how bash asks for the last
  echo ". $prefix/share/bash-completion/completions/tare; COMP_WORDS=($*); COMP_CWORD=$(($# - 1))
_tare 2>/dev/null; echo \"\${COMPREPLY[*]}\""
}
fish=". $prefix/share/fish/vendor_completions.d/tare.fish; complete -C"
completed bash "$(bash_words tare qua)" quantize
completed bash "$(bash_words tare calibrate --prof)" --profile=
completed bash "$(bash_words tare debug sens)" sensitivity
completed bash "$(bash_words tare calibrate --method = en)" entropy
completed bash "$(bash_words tare compare --methods minmax,e)" minmax,entropy
completed bash "$(bash_words tare debug sensitivity --keep =)" 'fp32 bf16'
completed fish "$fish 'tare qua'" quantize
completed fish "$fish 'tare calibrate --prof'" --profile=
completed fish "$fish 'tare calibrate --method=en'" --method=entropy
completed fish "$fish 'tare compare --methods minmax,e'" minmax,entropy
completed zsh "zsh -n $prefix/share/zsh/vendor-completions/_tare && echo parsed" parsed
