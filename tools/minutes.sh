# shellcheck shell=sh
# How long the parts of a script take. Sourced.
minutes_of=
minutes_past=

# minutes_begin PART: says that it begins
minutes_begin() {
  minutes_end
  minutes_of=$1
  minutes_since=$(date +%s)
  echo "== $1"
}

minutes_end() {
  [ -z "$minutes_of" ] || minutes_past="$minutes_past$minutes_of|$(($(date +%s) - minutes_since))
"
  minutes_of=
}

# The table of all parts and their sum.
minutes_show() {
  minutes_end
  printf %s "$minutes_past" | awk -F'|' '
    { printf "%-40s %6.1f min\n", $1, $2 / 60; sum += $2 }
    END { printf "%-40s %6.1f min\n", "all", sum / 60 }'
}
