# The SQNR of logits is good, and their classes are not those of float: the summaries say so, and a warning. What the
# outputs are follows from their values, or from --agreement.
model=$SOURCE/tests/fixtures/agreement/flips.onnx data=$SOURCE/tests/fixtures/agreement/flips.npz
figures() { sed 's/[0-9][0-9.]* dB/N dB/g; s/[0-9.]* %/N %/g; s/0\.[0-9]*/F/g'; }
"$TARE" calibrate "$model" "$data" -o c.json 2>err | grep '^accuracy' | figures
figures <err >&2
"$TARE" quantize -q "$model" "$data" --raise-layers off --method minmax -o q.onnx | grep '^accuracy' | figures
"$TARE" build -q "$model" --calib c.json --layer-precisions '*:int8' -o x.plan >text || exit
judge() { "$TARE" run x.plan "$data" --against "$model" "$@"; }
judge 2>/dev/null | grep -A 1 'agreement$\|^top-1\|^direction\|^answer' | figures
judge --json -q | "$JSON_CHECK" agreement.kind == top1 outputs.1.agreement.kind == cosine \
  outputs.2.agreement.kind == equal
judge -q --agreement logits=none --agreement direction=top1 --agreement answer=edits | awk '/^output/ { on = 1 } on { print $1, $5 }'
# An SQNR that is good alone does not warn, nor what is no answer.
judge --agreement logits=none --agreement answer=none 2>&1 >text | grep warning
"$TARE" tune -q "$model" "$data" --sqnr 30 --min-int8 80% -o t.plan | grep '^\(chosen\|default\)' | sed 's/ (95.*)//; s/, [0-9.]* times.*//' | figures
"$TARE" compare -q "$model" "$data" --eval "$data" --methods minmax --report r.md >text; grep -o 'agreement\|top-1 [0-9.]* %' r.md | figures
# Choices that no output can have.
judge --agreement nothing=top1
judge --agreement answer=cosine
judge --agreement logits=best
"$TARE" calibrate -q "$model" "$data" -o n.json --agreement nothing=top1
test -e n.json || echo "nothing written"
