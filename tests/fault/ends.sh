# shellcheck shell=sh
# Part of run_sweep.sh: commands whose output goes nowhere, and commands that get a signal.
SEED=${SEED:-${TARE_TEST_SEED:-1}}
TURNS=${TURNS:-$((${TARE_LONG:+9} + 1))}
wrong=0
partial=0 # a signal only ends the search, and what was found is written

complain() { # WHAT, with the sentence of the command
  echo "wrong: $1 (exit $code: $(head -n 1 "$folder/err"))"
  wrong=1
}

# The output is missing, or that of a run without faults; nothing lies beside it, nor in TMPDIR.
look() { # HOW
  case $code in
  99 | 132 | 134 | 135 | 136 | 139 | 255) complain "$1: crashed" ;;
  esac
  if [ "$output" != none ] && [ -e "$folder/out/$output" ]; then
    cmp -s "$folder/out/$output" "$folder/whole" ||
      { [ "$partial" = 1 ] && "$TARE" inspect "$folder/out/$output" >"$folder/log" 2>&1; } ||
      complain "$1: damaged output"
    rm "$folder/out/$output"
  elif [ "$output" != none ] && [ "$code" = 0 ]; then
    complain "$1: no output"
  fi
  for stray in "$folder"/out/* "$folder"/tmp/*; do
    [ ! -e "$stray" ] || complain "$1: left $stray: $(ls $stray | tr "\n" " ")"
    rm -rf "$stray"
  done
}

# Where the command prints something, it must say that it cannot.
into() { # HOW, after the command ran
  expected=0
  [ ! -s "$folder/printed" ] || expected=5
  [ "$code" = $expected ] || complain "$1: expected exit code $expected"
  [ "$code" = 0 ] || [ -s "$folder/err" ] || complain "$1: failed without a sentence"
  look "$1"
}

nowhere() {
  code=0
  "$@" >/dev/full 2>"$folder/err" || code=$?
  into 'a full disk'
  code=0
  "$@" >&- 2>"$folder/err" || code=$?
  into 'a closed stream'
  { code=0; "$@" 2>"$folder/err" || code=$?; echo "$code" >"$folder/code"; } | :
  code=$(cat "$folder/code")
  case $code in
  0 | 5 | 141) ;;
  *) complain 'a pipe that nobody reads: another exit code' ;;
  esac
  look 'a pipe that nobody reads'
}

interrupted() { # SECONDS of a run without faults, then the command
  span=$1
  shift
  for signal in HUP INT TERM; do
    turn=0
    while [ $turn -lt "$TURNS" ]; do
      turn=$((turn + 1))
      SEED=$((SEED + 1))
      at=$(awk -v seed="$SEED" -v span="$span" 'BEGIN {srand(seed); printf "%.3f", 0.001 + rand() * span}')
      code=0
      timeout --preserve-status -s $signal "$at" "$@" >"$folder/log" 2>"$folder/err" || code=$?
      case $code in
      0 | 129 | 130 | 143) ;;
      [1-7]) [ -s "$folder/err" ] || complain "SIG$signal after $at s: failed without a sentence" ;;
      *) complain "SIG$signal after $at s: another exit code" ;;
      esac
      look "SIG$signal after $at s"
    done
  done
}

ends() { # OUTPUT or none, then the command
  output=$1
  shift
  mkdir -p "$folder/tmp"
  export TMPDIR="$folder/tmp"
  began=$(date +%s.%N)
  "$TARE" "$@" >"$folder/printed" 2>"$folder/err"
  ended=$(date +%s.%N)
  [ "$output" = none ] || mv "$folder/out/$output" "$folder/whole"
  rm -rf "$folder"/out/*
  nowhere "$TARE" "$@"
  interrupted "$(awk -v a="$began" -v b="$ended" 'BEGIN {print (b - a) * 1.1}')" "$TARE" "$@"
  [ $wrong = 0 ] || exit 1
}
