"""Writes tare/_api.py, the declarations of the public headers as cffi keeps them.

usage: declarations.py INCLUDE OUT [CC]

The compiler's preprocessor expands the headers, so that no declaration stands anywhere else.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

# Types that cffi knows by itself: the headers of the system would declare them again.
KNOWN_HEADERS = ("stdbool.h", "stddef.h", "stdint.h")
NUMBER = re.compile(r"#define (TARE_[A-Z_]+) (\d+)$")
VERSION = re.compile(r'#define TARE_VERSION "([^"]+)"$')


def preprocess(compiler, include, *options):
    """The text of all public headers, behind the preprocessor."""
    with tempfile.TemporaryDirectory() as known:
        for name in KNOWN_HEADERS:
            (pathlib.Path(known) / name).touch()
        command = [compiler, "-E", "-P", "-nostdinc", "-DTARE_API=", *options, "-I", known,
                   "-I", include, "-x", "c", "-"]
        run = subprocess.run(command, input="#include <tare/tare.h>\n", check=True, text=True,
                             stdout=subprocess.PIPE)
    return run.stdout


def main(include, out, compiler="cc"):
    macros = preprocess(compiler, include, "-dM").splitlines()
    numbers = [m.group(0) for m in map(NUMBER.match, macros) if m]
    version = next(m.group(1) for m in map(VERSION.match, macros) if m)
    ffi = cffi.FFI()
    ffi.cdef("\n".join(sorted(numbers)) + "\n" + preprocess(compiler, include))
    ffi.set_source("tare._api", None)
    ffi.emit_python_code(out)
    with open(out, "a", encoding="ascii") as file:
        file.write(f'version = "{version}"\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
