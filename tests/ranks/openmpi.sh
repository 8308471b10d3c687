# shellcheck shell=sh disable=SC2154 # variables of the script that sources it
# Sourced by what starts mpirun, with $source.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Open MPI unloads components: only whole stacks say whose memory it was.
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0"
export LSAN_OPTIONS="suppressions=$source/tests/ranks/lsan.supp:print_suppressions=0"
