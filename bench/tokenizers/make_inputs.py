#!/usr/bin/env python3
"""make_inputs.py FOLDER TEXTS PACKAGES: writes lines.jsonl (10,000 texts and pairs), and tokenizers of
each kind that tare reads. TEXTS is a folder whose .txt, .csv and .conllu files give up to 7,000 of the
lines, the others are random; without files all are. PACKAGES is the folder node_modules with tokenizers
of known models. Needs spm_train of Debian's package sentencepiece in PATH."""
import base64
import csv
import json
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import unicodedata
from collections import Counter

folder, texts, packages = (pathlib.Path(a) for a in sys.argv[1:4])
random.seed(7)
MOST_LINES, MOST_TEXTS = 10000, 7000

# --- lines -------------------------------------------------------------------------------------------

BLOCKS = [(0x20, 0x7F), (0xA0, 0x180), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x900, 0xDFF),
          (0xE00, 0x1100), (0x1E00, 0x2000), (0x2000, 0x2070), (0x3040, 0x3100), (0x4E00, 0x9FFF),
          (0xAC00, 0xD7A4), (0x1F300, 0x1F6FF), (0x1F1E6, 0x1F200), (0x1D400, 0x1D7FF),
          (0x20000, 0x2A6DF), (1, 0x20), (0xFF00, 0xFFF0)]
SPECIMENS = ["the", "Hello", "don't", "I'LL", "123", "4567", "3.14", "foo_bar", "\t", "\r\n", "\n\n",
             "e\u0301", "é", "ﬁ", "½", "①", "<s>", "</s>", "[MASK]", "[SEP]", "<|endoftext|>", "<unk>",
             "[UNK]", "▁", "##", "İ", "ß", "ΑΣ", "ǅ", "\u200d", "\ufeff", "\u180e", "\x85", "\u00a0",
             "\u3000", "👩‍👩‍👧", "🇩🇪", "Ⅳ", "x" * 30]
ASSIGNED = [c for c in range(1, 0x110000)
            if not 0xD800 <= c < 0xE000 and unicodedata.category(chr(c)) != "Cn"]
SHORT = [c for c in ASSIGNED if c < 0x10000 and unicodedata.category(chr(c)) != "Co"]


def random_text(most):
    parts = []
    while len(parts) < most:
        kind = random.random()
        if kind < 0.15:
            parts.append(" " * random.choice([1, 1, 2, 5]))
        elif kind < 0.35:
            parts.append(random.choice(SPECIMENS))
        elif kind < 0.8:
            first, end = random.choice(BLOCKS)
            parts += [chr(random.randrange(first, end)) for _ in range(random.randint(1, 6))]
        else:
            parts.append(chr(random.choice(SHORT if kind < 0.9 else ASSIGNED)))
    return "".join(parts)


def given_texts():
    for path in sorted(texts.rglob("*")):
        if path.suffix == ".csv":
            with open(path, encoding="utf-8", newline="") as rows:
                yield from (max(row, key=len) for row in csv.reader(rows) if row)
        elif path.suffix in (".txt", ".conllu"):
            for line in path.read_text(encoding="utf-8").split("\n"):
                if path.suffix == ".txt" and line.strip():
                    yield line
                elif line.startswith("# text = "):
                    yield line[9:]


lines = list(given_texts()) if texts.is_dir() else []
random.shuffle(lines)
lines = lines[:MOST_TEXTS]
while len(lines) < MOST_LINES - 100:
    lines.append(random_text(random.randint(1, 40)))
lines += ["a" * 5000, "ab" * 3000, "é" * 2000, "漢" * 1500, "!" * 3000, " " * 2000, "a b " * 2000,
          "👍" * 1000, "x" * 101, "x" * 100, "é" * 100, "é" * 101]
while len(lines) < MOST_LINES:
    lines.append(random_text(300))
with open(folder / "lines.jsonl", "w", encoding="utf-8") as out:
    for i, line in enumerate(lines):
        pair = lines[(i * 7 + 3) % len(lines)][:200]
        out.write(json.dumps({"text": line, "pair": pair}, ensure_ascii=i % 2 == 0) + "\n")

# --- SentencePiece -----------------------------------------------------------------------------------

# spm_encode reads lines: those that are one.
single = [line for line in lines if not re.search("[\n\r\0]", line) and line.strip()]
(folder / "single.txt").write_text("".join(line + "\n" for line in single), encoding="utf-8")
with open(folder / "single.jsonl", "w", encoding="utf-8") as out:
    for line in single:
        out.write(json.dumps({"text": line}) + "\n")
(folder / "train.txt").write_text("".join(line + "\n" for line in single[:7000]), encoding="utf-8")
for kind in ("unigram", "bpe"):
    subprocess.run(["spm_train", f"--input={folder}/train.txt", f"--model_prefix={folder}/{kind}",
                    f"--model_type={kind}", "--vocab_size=2000", "--character_coverage=0.98",
                    "--max_sentence_length=20000", "--num_threads=1"],
                   check=True, stderr=subprocess.DEVNULL)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Fields of a protobuf message: number and contents."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        else:
            size, at = ({1: 8, 5: 4}[wire], at) if wire in (1, 5) else varint(data, at)
            value = data[at:at + size]
            at += size
        yield key >> 3, value


vocab, charsmap = [], b""
for number, value in fields((folder / "unigram.model").read_bytes()):
    if number == 1:
        piece = dict(fields(value))
        vocab.append([piece[1].decode(), struct.unpack("<f", piece.get(2, bytes(4)))[0]])
    elif number == 3:
        charsmap = dict(fields(value)).get(2, b"")

# --- tokenizer.json ----------------------------------------------------------------------------------


def added(*tokens):
    return [{"id": number, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": True, **dict(*options)} for number, text, *options in tokens]


def save(name, **parts):
    document = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
                "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None, **parts}
    (folder / f"{name}.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def sequence(key, *steps):
    return {"type": "Sequence", key: [{"type": s} if isinstance(s, str) else s for s in steps]}


def template(cls, cls_id, sep, sep_id):
    first = [{"SpecialToken": {"id": cls, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
             {"SpecialToken": {"id": sep, "type_id": 0}}]
    second = [{"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": sep, "type_id": 1}}]
    return {"type": "TemplateProcessing", "single": first, "pair": first + second,
            "special_tokens": {cls: {"id": cls, "ids": [cls_id], "tokens": [cls]},
                               sep: {"id": sep, "ids": [sep_id], "tokens": [sep]}}}


def cut(most, direction):
    return {"direction": direction, "max_length": most, "strategy": "LongestFirst", "stride": 0}


unigram = {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False}
metaspace = {"type": "Metaspace", "replacement": "▁"}
save("unigram", model=unigram,
     normalizer=sequence("normalizers",
                         {"type": "Precompiled",
                          "precompiled_charsmap": base64.b64encode(charsmap).decode()},
                         {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}),
     pre_tokenizer=sequence("pretokenizers", "WhitespaceSplit",
                            {**metaspace, "prepend_scheme": "always", "split": True}),
     added_tokens=added((0, "<unk>"), (1, "<s>"), (2, "</s>", {"lstrip": True})),
     post_processor=template("<s>", 1, "</s>", 2))
save("unigram_first", model=unigram, normalizer={"type": "NFKC"},
     pre_tokenizer={**metaspace, "prepend_scheme": "first", "split": False},
     added_tokens=added((0, "<unk>"), (1, "<s>"), (2, "</s>", {"rstrip": True})),
     post_processor={"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 1],
                     "trim_offsets": True, "add_prefix_space": True}, truncation=cut(50, "Left"))

# Words and characters, which also go on with words.
words = {token: i for i, token in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])}
special = added(*[(i, token) for token, i in words.items() if token != "[MASK]"])
mask = added((4, "[MASK]", {"lstrip": True}))
count = Counter(word for line in lines for word in re.findall(r"\w+|[^\w\s]", line.lower()))
for word, _ in count.most_common(3000):
    words.setdefault(word, len(words))
pieces = dict(words)
for char, _ in Counter(char for line in lines for char in line.lower()).most_common(1500):
    for piece in (char, "##" + char):
        if not char.isspace():
            pieces.setdefault(piece, len(pieces))
for piece in ["##ing", "##ed", "##er", "trans", "##action", "ex", "##change", "un", "##able", "##ity"]:
    pieces.setdefault(piece, len(pieces))
save("wordpiece",
     model={"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": pieces},
     normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                 "strip_accents": None, "lowercase": True},
     pre_tokenizer={"type": "BertPreTokenizer"}, post_processor=template("[CLS]", 2, "[SEP]", 3),
     added_tokens=special + mask)
save("wordpiece_cased",
     model={"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 20, "vocab": pieces},
     normalizer={"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
                 "strip_accents": True, "lowercase": False},
     pre_tokenizer=sequence("pretokenizers", "Whitespace", {"type": "Digits", "individual_digits": True},
                            {"type": "Punctuation", "behavior": "MergedWithPrevious"}),
     post_processor={"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
     added_tokens=special, truncation=cut(24, "Right"))
known = next(word for word in words if word.isalpha() and len(word) > 3)
save("wordlevel", model={"type": "WordLevel", "unk_token": "[UNK]", "vocab": words},
     normalizer=sequence("normalizers", "NFD", "StripAccents", "Lowercase",
                         {"type": "Strip", "strip_left": True, "strip_right": True}),
     pre_tokenizer=sequence("pretokenizers", "WhitespaceSplit",
                            {"type": "Split", "pattern": {"Regex": "[,.?!]+"},
                             "behavior": "MergedWithPrevious", "invert": False},
                            {"type": "Digits", "individual_digits": False}),
     added_tokens=special + added((words[known], known,
                                   {"normalized": True, "special": False, "single_word": True,
                                    "lstrip": True, "rstrip": True})),
     post_processor=template("[CLS]", 2, "[SEP]", 3))


def train(counted, tokens, most):
    """Merges of the most frequent pairs of neighbours; adds their tokens."""
    merges = []
    for _ in range(most):
        pairs = Counter()
        for word, n in counted:
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        left, right = max(pairs, key=lambda p: (pairs[p], p))
        merges.append([left, right])
        tokens.setdefault(left + right, len(tokens))
        for word, _ in counted:
            at = 0
            while at < len(word) - 1:
                if word[at] == left and word[at + 1] == right:
                    word[at:at + 2] = [left + right]
                at += 1
    return merges


plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
others = [b for b in range(256) if b not in plain]
letters = {b: chr(b) for b in plain} | {b: chr(256 + i) for i, b in enumerate(others)}
count = Counter("".join(letters[b] for b in word.encode()) for line in lines[:3000]
                for word in re.findall(r" ?[A-Za-z]+| ?\d+| ?[^\sA-Za-z\d]+|\s+", line))
tokens = {char: i for i, char in enumerate(sorted(letters.values()))}
merges = train([[list(word), n] for word, n in count.items()], tokens, 800)
end = tokens["<|endoftext|>"] = len(tokens)
save("bpe_bytes",
     model={"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
            "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "vocab": tokens,
            "merges": [" ".join(pair) for pair in merges]},
     normalizer={"type": "NFC"},
     pre_tokenizer={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
     post_processor={"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False,
                     "use_regex": True},
     added_tokens=added((end, "<|endoftext|>", {"normalized": True})))

count = Counter(word for line in lines[:3000] for word in line.lower().split())
tokens = {"<unk>": 0}
for word in count:
    for token in [*word, word[-1] + "</w>"]:
        tokens.setdefault(token, len(tokens))
merges = train([[[*word[:-1], word[-1] + "</w>"], n] for word, n in count.items()], tokens, 300)
save("bpe_suffix",
     model={"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
            "end_of_word_suffix": "</w>", "fuse_unk": False, "byte_fallback": False, "vocab": tokens,
            "merges": merges},
     normalizer=sequence("normalizers", "NFKD", "Lowercase"), pre_tokenizer={"type": "Whitespace"},
     added_tokens=added((0, "<unk>")))

for name in ("llama2", "llama3", "gpt35turbo"):
    shutil.copy(packages / "@lenml" / f"tokenizer-{name}" / "models" / "tokenizer.json", folder / f"{name}.json")
