# shellcheck shell=sh disable=SC2154,SC2034 # variables of the script that sources it
# Sourced by the tests of ranks with $tare and $source: a folder to work in, and jobs of mpirun that end in any case.
[ -e "$(dirname "$tare")/tare_mpi.so" ] || {
  echo "skipped: built without MPI (libopenmpi-dev)"
  exit 77
}
command -v mpirun >/dev/null || {
  echo "skipped: no mpirun (openmpi-bin)"
  exit 77
}
. "$source/tests/ranks/openmpi.sh"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
TMPDIR=$folder
export TMPDIR
bad=0
wrong() {
  echo "$*"
  bad=1
}

rank_processes() { # [RANK]: numbers of the processes of a rank, or of all and of mpirun
  for process in /proc/[0-9]*; do
    if grep -qzx "TMPDIR=$folder" "$process/environ" 2>/dev/null &&
      { [ -z "${1:-}" ] || grep -qzx "OMPI_COMM_WORLD_RANK=$1" "$process/environ" 2>/dev/null; } &&
      grep -qx 'tare\|mpirun\|orterun' "$process/comm" 2>/dev/null; then
      echo "${process#/proc/}"
    fi
  done
}

kill_rank() { # RANK
  for one in $(rank_processes "$1"); do
    kill -KILL "$one" 2>/dev/null
  done
}

show_processes() { # where each of the job stands
  debugger=gdb # not everywhere
  for one in $(rank_processes); do
    echo "--- $one: $(tr '\0' ' ' <"/proc/$one/cmdline" | cut -c 1-60)," \
      "$(tr '\0' '\n' <"/proc/$one/environ" | grep '^OMPI_COMM_WORLD_RANK=')"
    for thread in "/proc/$one/task/"*; do
      echo "thread ${thread##*/}: $(grep '^State' "$thread/status") in $(cat "$thread/wchan")"
    done
    ! command -v "$debugger" >/dev/null ||
      timeout 30 "$debugger" -p "$one" -batch -ex 'thread apply all backtrace 12' 2>/dev/null | grep '^#\|^Thread'
  done
}

await_job() { # SECONDS: for the job $job; one that does not end is shown and ended. Returns its code
  left=$(($1 * 10))
  while kill -0 "$job" 2>/dev/null && [ $left -gt 0 ]; do
    sleep 0.1
    left=$((left - 1))
  done
  if kill -0 "$job" 2>/dev/null; then
    wrong "no end after $1 s: $(cat printed)"
    show_processes
    for one in $(rank_processes); do
      kill -KILL "$one" 2>/dev/null
    done
  fi
  wait "$job"
}
