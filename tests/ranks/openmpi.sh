# shellcheck shell=sh disable=SC2154 # variables of the script that sources it
# Sourced by what starts mpirun, with $source.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

run_ranks() { # ARGUMENT...: of mpirun
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" timeout 200 mpirun --oversubscribe "$@"
}

# ARGUMENT...: of mpirun. Open MPI unloads components: only whole stacks, which are slow, say whose memory it was.
find_leaks_of_ranks() {
  ASAN_OPTIONS="${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0" \
    LSAN_OPTIONS="suppressions=$source/tests/ranks/lsan.supp:print_suppressions=0" \
    timeout 200 mpirun --oversubscribe "$@"
}
