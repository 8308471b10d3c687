# The version, and what the build is made of.
"$TARE" version >version || exit
"$TARE" --version | cmp - version || exit
grep -cE '^tare [0-9]+\.[0-9]+\.[0-9]+ \([a-z0-9_]+, (gcc|clang) [0-9.]+, [A-Za-z]+\)$' version
grep -cE '^commit     ([0-9a-f]{12} of [0-9]{4}-[0-9]{2}-[0-9]{2}|not known)$' version
grep -cE '^kernels    scalar [a-z0-9 ]+$' version
grep -oE '^libraries  hdf5 [0-9.]+, sndfile ' version | sed 's/ [0-9][0-9.]*,/ N,/'
"$TARE" doctor --json | grep -c '"compiler"'
