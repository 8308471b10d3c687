#!/bin/sh
# installed.sh CMAKE CC PKG_CONFIG BUILD SOURCE: what is installed is enough to build programs with, by pkg-config and by
# CMake, and to use them and the command, its manual and its completions from where it was put.
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
"$prefix/bin/tare" version
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
  "$cc" -std=c11 -Wall -Wextra -Werror "$example" $("$pkg_config" --define-prefix --cflags --libs tare) \
    -Wl,-rpath,"$library" -o "$(basename "$example" .c)"
done
"$work/calibrate" "$intents/intents-mini.onnx" sequence=4:64:512 "$intents/calib.h5" b.plan
cmp a.plan b.plan
printf '2 17 23 3\n2 3\n2 17 23 5 6 7 8 9 3\n' | "$work/infer" a.plan >answers 2>complaints
test "$(wc -l <answers)" -eq 2
grep -q 'sequence' complaints
"$prefix/bin/tare" run a.plan "$intents/eval.h5" --metric accuracy --labels labels -q --limit 5 >/dev/null

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
completed fish "$fish 'tare qua'" quantize
completed fish "$fish 'tare calibrate --prof'" --profile=
completed zsh "zsh -n $prefix/share/zsh/vendor-completions/_tare && echo parsed" parsed
