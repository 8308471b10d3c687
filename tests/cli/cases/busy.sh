# OpenMP spins little, unless the user says otherwise; the arguments arrive as they are.
spins() {
  env "$@" OMP_DISPLAY_ENV=verbose "$TARE" version 2>&1 | sed -n "s/.*GOMP_SPINCOUNT = '\(.*\)'.*/\1/p" | tail -n 1
}
unset GOMP_SPINCOUNT OMP_WAIT_POLICY
[ "$(spins)" = 6000 ] || echo "not set: $(spins)"
[ "$(spins GOMP_SPINCOUNT=77)" = 77 ] || echo "the user's: $(spins GOMP_SPINCOUNT=77)"
[ "$(spins OMP_WAIT_POLICY=passive)" = 0 ] || echo "passive: $(spins OMP_WAIT_POLICY=passive)"
"$TARE" "fly  high" ''
echo "exit $?"
