"""Writes a wheel of the package with the library inside.

usage: wheel.py PACKAGE LIBRARY FOLDER

PACKAGE has the modules, with _api.py, and lies beside its dist-info. Equal contents give equal bytes:
members are sorted, and have the time SOURCE_DATE_EPOCH (default: the first one that archives can
store).
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import subprocess
import sys
import time
import zipfile

FIRST_EPOCH = 315532800  # 1980
SONAME = re.compile(r"^\s*(SONAME|NEEDED)\s+(\S+)$", re.MULTILINE)
RESOLVED = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)

REQUIRES = "Requires-Dist: numpy\nRequires-Dist: cffi>=1.15\n"

WHEEL = """Wheel-Version: 1.0
Generator: tare
Root-Is-Purelib: false
Tag: {tag}
"""


def output_of(*command):
    """What a command prints; "" where it fails."""
    run = subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C"})
    return run.stdout if run.returncode == 0 else ""


def links_of(library):
    """The name of a library, and the files of those that it needs, by name."""
    found = SONAME.findall(output_of("objdump", "-p", library))
    needed = {name for kind, name in found if kind == "NEEDED"}
    files = dict(RESOLVED.findall(output_of("ldd", library)))
    return next(name for kind, name in found if kind == "SONAME"), \
        {name: files[name] for name in needed if name in files}


def package_of(file):
    """The Debian package of a file, by the name under which dpkg knows it; None if it does not."""
    for path in (file, os.path.realpath(file), f"/usr{file}", os.path.realpath(file)[len("/usr"):]):
        owner = output_of("dpkg-query", "-S", path)
        if owner:
            return owner.partition(":")[0]
    return None


def packages_of(files):
    """The Debian package of each library; none where dpkg does not know it."""
    found = {name: package_of(file) for name, file in files.items()}
    return {name: package for name, package in found.items() if package}


def needed_module(packages):
    """A module that says which package has a library that is missing."""
    lines = [f"    {name!r}: {package!r}," for name, package in sorted(packages.items())]
    return "\n".join(['"""Debian packages of the libraries that the library needs."""', "",
                      "PACKAGES = {", *lines, "}", ""])


def metadata_of(package):
    """The version of the package, and what is known of it."""
    [path] = package.parent.glob("tare-*.dist-info/METADATA")
    return path.parent.name[len("tare-"):-len(".dist-info")], path.read_text(encoding="ascii")


def contents_of(package, library):
    """Members by name, without the record."""
    version, metadata = metadata_of(package)
    tag = f"py3-none-linux_{platform.machine()}"
    soname, needed = links_of(library)
    packages = packages_of(needed)
    members = {f"tare/{path.relative_to(package)}": path.read_bytes()
               for path in package.rglob("*") if path.suffix == ".py" or path.name == "py.typed"}
    members[f"tare/lib/{soname}"] = pathlib.Path(library).read_bytes()
    members["tare/_needed.py"] = needed_module(packages).encode()
    info = f"tare-{version}.dist-info"
    source = pathlib.Path(__file__).parent.parent
    external = "".join(f"Requires-External: {name}\n" for name in sorted(set(packages.values())))
    members[f"{info}/METADATA"] = (metadata + REQUIRES + external).encode()
    members[f"{info}/WHEEL"] = WHEEL.format(tag=tag).encode()
    members[f"{info}/LICENSE"] = (source / "LICENSE").read_bytes()
    return f"tare-{version}-{tag}.whl", info, members


def record_of(info, members):
    """The record: hash and size of each member."""
    rows = []
    for name, data in sorted(members.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}\n")
    return "".join(rows) + f"{info}/RECORD,,\n"


def write(path, members, when):
    """Writes the archive."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in members:
            entry = zipfile.ZipInfo(name, time.gmtime(when)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, members[name])


def main(package, library, folder):
    when = max(int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_EPOCH)), FIRST_EPOCH)
    name, info, members = contents_of(pathlib.Path(package), library)
    ordered = dict(sorted(members.items()))
    ordered[f"{info}/RECORD"] = record_of(info, members).encode()
    path = pathlib.Path(folder) / name
    write(path, ordered, when)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
