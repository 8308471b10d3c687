"""Arrays of Python and tensors of the library."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._native import Keep, ffi, lib, text
from .errors import InputError

MAX_RANK = ffi.integer_const("TARE_MAX_RANK")

# numpy has no bfloat16: its elements are uint16 there, or a type of that name of another package.
_BF16 = "bfloat16"
_DTYPES = {
    text(lib.tare_dtype_name(getattr(lib, "TARE_" + name))): getattr(lib, "TARE_" + name)
    for name in ("F32", "U8", "I8", "U16", "I16", "I32", "I64", "BOOL", "F16", "F64", "U32", "U64",
                 "BF16")
}


def dtype_name(dtype: int) -> str:
    """Name of an element type, e.g. "float32"."""
    return text(lib.tare_dtype_name(dtype))


def numpy_dtype(dtype: int) -> np.dtype[Any]:
    """The type of arrays; uint16 for bfloat16."""
    name = dtype_name(dtype)
    return np.dtype("uint16" if name == _BF16 else name)


def as_array(value: Any) -> np.ndarray[Any, Any]:
    """An array of what may be a tensor of another package, without copying where that is possible."""
    if hasattr(value, "detach"):  # torch: without gradients, and in the memory of the CPU
        value = value.detach().cpu()
        if str(getattr(value, "dtype", "")).endswith(_BF16):
            value = value.float()
    array = np.asarray(value)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    return np.require(array, requirements="C")


def fill_tensor(array: np.ndarray[Any, Any], dtype: int, out: Any) -> None:
    """Makes a tensor that points to the memory of an array, which must outlive it."""
    kind = _DTYPES.get(array.dtype.name)
    if kind is None:
        raise InputError(
            f"element type {array.dtype} is not a type of tensors: expected {', '.join(_DTYPES)}")
    if array.ndim > MAX_RANK:
        raise InputError(f"has rank {array.ndim}, the limit is {MAX_RANK}")
    is_bits = dtype == lib.TARE_BF16 and array.dtype == np.uint16
    out.dtype = dtype if is_bits else kind
    out.rank = array.ndim
    for axis, size in enumerate(array.shape):
        out.dims[axis] = size
    out.data = ffi.cast("void *", array.ctypes.data)


def tensors_of(arrays: Sequence[np.ndarray[Any, Any]], dtypes: Sequence[int], names: Sequence[str],
               keep: Keep) -> Any:
    """Tensors that point to arrays; `keep` has to outlive them."""
    out = keep.array("tare_tensor[]", len(arrays) * [{}])
    for i, array in enumerate(arrays):
        try:
            fill_tensor(keep.object(array), dtypes[i], out[i])
        except InputError as error:
            raise InputError(f"input '{names[i]}': {error}") from None
    return out


def view_of(tensor: Any, owner: Any) -> np.ndarray[Any, Any]:
    """An array over the memory of a tensor, which `owner` keeps alive."""
    dtype = numpy_dtype(tensor.dtype)
    shape = tuple(tensor.dims[axis] for axis in range(tensor.rank))
    count = int(np.prod(shape, dtype=np.int64))
    if count == 0:
        return np.empty(shape, dtype)
    buffer = ffi.buffer(ffi.gc(tensor.data, lambda _, kept=owner: None), count * dtype.itemsize)
    return np.frombuffer(buffer, dtype).reshape(shape)
