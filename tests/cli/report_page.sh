#!/bin/sh
# report_page.sh TARE SOURCE: reports of compare in a browser without a window, in three widths: no message on the
# console, nothing wider than the page, and each chart shows its data, as the page itself finds out
# (tools/compare/report/page/selftest.js). Names of files that look like markup stay text. Skipped (77) without
# chromium.
set -u
TARE=$1 EXAMPLES=$2/examples
browser=$(command -v chromium) || {
  echo "skipped: chromium is not installed"
  exit 77
}
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
bad=0

fail() {
  echo "$1" >&2
  bad=1
}

# browse REPORT: what the page finds out at each width, a line each in the file `result`. Frames have the widths,
# because a window cannot be as narrow as a telephone.
browse() {
  cat >frames.html <<END
<!DOCTYPE html><meta charset="utf-8"><pre id="result"></pre>
<iframe width="400" height="800" style="border: 0" src="$1#selftest"></iframe>
<iframe width="900" height="800" style="border: 0" src="$1#selftest"></iframe>
<iframe width="1600" height="800" style="border: 0" src="$1#selftest"></iframe>
<script>
onload = () => {
  document.getElementById('result').textContent = '\\n' + Array.from(document.querySelectorAll('iframe'),
    (frame) => frame.contentDocument.getElementById('selftest').textContent + '\\n').join('');
};
</script>
END
  "$browser" --headless=new --no-sandbox --disable-gpu --disable-extensions --user-data-dir="$folder/profile" \
    --window-size=1700,900 --allow-file-access-from-files --enable-logging=stderr --virtual-time-budget=5000 \
    --dump-dom "file://$folder/frames.html" 2>messages >page
  grep CONSOLE messages && fail "$1: the browser prints messages"
  grep '^{"width":' page >result
}

# check REPORT SECTION...: a report that has these sections
check() {
  report=$1
  shift
  browse "$report"
  for width in 400 900 1600; do
    grep "^{\"width\":$width," result >found || fail "$report at $width: the page did not finish"
    grep -q '"overflow":[1-9]' found && fail "$report at $width: too wide"
    grep -q '"drawn":0[,}]' found && fail "$report at $width: a chart shows nothing"
    grep -q '"drawn":[1-9]' found || fail "$report at $width: no chart"
    for section in "$@"; do
      grep -q "\"$section\"" found || fail "$report at $width: no section $section"
    done
  done
  [ "$(wc -c <"$report")" -le 3000000 ] || fail "$report is larger than 3 MB"
}

"$TARE" compare "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib" -q --rate 8000 \
  --eval "$EXAMPLES/digits-conv/eval" --profile samples=1000:15000:20000 --profile samples=20001:30000:160000 \
  --labels digits --metric ctc-error --alphabet 0123456789 --worst 3 --report audio.html >/dev/null || exit
check audio.html verdict strategies 'Fits and methods' trade by-length worst lengths tensors ranges layers repeat

"$TARE" compare "$EXAMPLES/digits-conv/digits-conv.onnx" "$EXAMPLES/digits-conv/calib" -q --rate 8000 --limit 2 \
  --eval "$EXAMPLES/digits-conv/eval" --fits native --methods minmax --gain-range -6:+6:6dB \
  --report levels.html >/dev/null || exit
check levels.html verdict strategies levels repeat

# Without a metric, from files whose names are markup.
hostile='a</script><script>console.log("executed")<'
mkdir -p "$hostile" && cp "$EXAMPLES"/intents-mini/* "$hostile" || exit 99
model="$hostile/<img src=x onerror=console.log(1)>&amp;.onnx"
mv "$hostile/intents-mini.onnx" "$model"
"$TARE" compare "$model" "$hostile/calib.h5" -q --eval "$hostile/eval.h5" --fits native \
  --methods minmax,percentile --report text.html >/dev/null || exit
grep -q 'executed\\")<' text.html && fail "text.html: a name is not escaped"
grep -q 'executed\\")\\u003c' text.html || fail "text.html: the names are not there"
check text.html verdict strategies tensors layers repeat
grep -q '"title":"&lt;img src=x onerror=console.log(1)&gt;&amp;amp;.onnx"' result ||
  fail "text.html: the name of the model is not its title: $(cut -c 1-200 result)"
exit $bad
