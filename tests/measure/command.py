"""Runs the command, and reads the outputs that it saves: HDF5, through the library that the command has itself."""
import ctypes
import ctypes.util
import os
import subprocess

import numpy as np


class CommandError(Exception):
    """The command failed."""


class Command:
    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.environment = {"TARE_ISA": "any", **os.environ, "LC_ALL": "C"}

    def __call__(self, *arguments, timeout=120):
        """Standard output and standard error."""
        command = [self.path, *map(str, arguments)]
        try:
            done = subprocess.run(command, text=True, env=self.environment, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            raise CommandError(f"{' '.join(command)}: takes more than {timeout} s") from None
        if done.returncode:
            raise CommandError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout, done.stderr


# --- HDF5 ---------------------------------------------------------------------------------------

FLOATS = 1  # H5T_FLOAT; integers are 0


def open_library():
    for name in ("hdf5_serial", "hdf5"):
        path = ctypes.util.find_library(name)
        if path:
            return ctypes.CDLL(path)
    return None


H5 = open_library()


def declare():
    handle, text, size = ctypes.c_int64, ctypes.c_char_p, ctypes.c_uint64
    pointer = ctypes.c_void_p
    functions = {
        "H5Fopen": (handle, [text, ctypes.c_uint, handle]), "H5Fclose": (ctypes.c_int, [handle]),
        "H5Dopen2": (handle, [handle, text, handle]), "H5Dclose": (ctypes.c_int, [handle]),
        "H5Dget_space": (handle, [handle]), "H5Sclose": (ctypes.c_int, [handle]),
        "H5Dget_type": (handle, [handle]), "H5Tclose": (ctypes.c_int, [handle]),
        "H5Tget_class": (ctypes.c_int, [handle]),
        "H5Sget_simple_extent_ndims": (ctypes.c_int, [handle]),
        "H5Sget_simple_extent_dims": (ctypes.c_int, [handle, ctypes.POINTER(size), pointer]),
        "H5Dread": (ctypes.c_int, [handle, handle, handle, handle, handle, pointer]),
    }
    for name, (result, arguments) in functions.items():
        getattr(H5, name).restype, getattr(H5, name).argtypes = result, arguments
    H5.H5open()


if H5:
    declare()


def read_array(file, path):
    array = H5.H5Dopen2(file, path.encode(), 0)
    if array < 0:
        raise CommandError(f"no data set {path}")
    space, kind = H5.H5Dget_space(array), H5.H5Dget_type(array)
    dims = (ctypes.c_uint64 * 32)()
    rank = H5.H5Sget_simple_extent_ndims(space)
    H5.H5Sget_simple_extent_dims(space, dims, None)
    real = H5.H5Tget_class(kind) == FLOATS
    out = np.zeros(list(dims[:rank]), np.float32 if real else np.int64)
    native = ctypes.c_int64.in_dll(H5, "H5T_NATIVE_FLOAT_g" if real else "H5T_NATIVE_INT64_g").value
    status = H5.H5Dread(array, native, 0, 0, 0, out.ctypes.data_as(ctypes.c_void_p))
    H5.H5Tclose(kind)
    H5.H5Sclose(space)
    H5.H5Dclose(array)
    if status < 0:
        raise CommandError(f"cannot read {path}")
    return out


def read_outputs(path, n_samples, names):
    """Of `tare run --save-outputs`: a list of samples, each with the arrays by name."""
    file = H5.H5Fopen(str(path).encode(), 0, 0)
    if file < 0:
        raise CommandError(f"cannot open {path}")
    width = len(str(n_samples - 1))
    out = [{name: read_array(file, f"/{i:0{width}d}/{name}") for name in names} for i in range(n_samples)]
    H5.H5Fclose(file)
    return out
