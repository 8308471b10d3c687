# How scripts refuse what they are given: a sentence, and the usage that stands at their head. Sourced, before a script
# goes to another folder.

# tare_misuse SENTENCE
tare_misuse() {
  echo "${0##*/}: $1" >&2
  sed -n 's/^#.*Usage: /usage: /p' "$0" >&2
  exit 2
}

# tare_takes MOST ARGUMENT...: refuses options, and more than MOST arguments
tare_takes() {
  left=$1
  shift
  for argument in "$@"; do
    case $left:$argument in
    *:-*) tare_misuse "unknown option '$argument'" ;;
    0:*) tare_misuse "unexpected argument '$argument'" ;;
    esac
    left=$((left - 1))
  done
}
