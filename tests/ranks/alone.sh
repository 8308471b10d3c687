#!/bin/sh
# alone.sh TARE SOURCE: a command that is started several times, without a way to divide the work,
# says so instead of doing it several times.
set -u
tare=$1 source=$2
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
bad=0
try() { # WHAT TARE MESSAGE, with variables of a launcher in the environment
  "$2" calibrate "$source/examples/digits-conv/digits-conv.onnx" \
    "$source/examples/digits-conv/calib" -q -o x.stats >printed 2>&1
  code=$?
  if [ $code != 2 ] || ! grep -q "$3" printed || [ -e x.stats ]; then
    echo "$1: exit $code: $(cat printed)"
    bad=1
  fi
}
export PMI_RANK=0 PMI_SIZE=3
try "another MPI" "$tare" 'PMI_SIZE is 3, but its launcher is not that of Open MPI'
unset PMI_RANK PMI_SIZE
export SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2
try "srun" "$tare" 'SLURM_STEP_NUM_TASKS is 2, but its launcher .* --shard auto'
unset SLURM_PROCID SLURM_STEP_NUM_TASKS
# A copy finds no module beside it.
cp "$tare" tare
alone=$folder/tare
LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-}
export LD_LIBRARY_PATH OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=4
echo none >tare_mpi.so
try "no module" "$alone" 'OMPI_COMM_WORLD_SIZE is 4, but this tare has no module for MPI'
OMPI_COMM_WORLD_RANK=1
export OMPI_COMM_WORLD_RANK
try "no module, second rank" "$alone" 'OMPI_COMM_WORLD_SIZE is 4, but this tare has no module for MPI'
exit $bad
