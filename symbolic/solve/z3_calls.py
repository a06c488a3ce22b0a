"""Raw calls of Z3's C interface, over plain addresses.

The Python layer above them takes ten times as long.
"""

from __future__ import annotations

import ctypes
import inspect
import struct
from collections.abc import Iterable
from typing import Any

from z3 import z3core


def _raw(name: str, *arguments: type) -> Any:
    """A function of the C interface over plain addresses.

    The binding's own wraps every address, and asks for errors after every call: that takes as long again.
    None of these takes long enough to let other threads of Python in.
    """
    binding = inspect.signature(getattr(z3core, name)).parameters["_elems"].default.f
    address = ctypes.cast(binding, ctypes.c_void_p).value
    assert address is not None
    return ctypes.PYFUNCTYPE(ctypes.c_void_p, *arguments)(address)


_ADDRESS = ctypes.c_void_p
_MANY = (_ADDRESS, ctypes.c_uint, ctypes.c_char_p)
mk_symbol = _raw("Z3_mk_int_symbol", _ADDRESS, ctypes.c_int)
mk_const = _raw("Z3_mk_const", _ADDRESS, _ADDRESS, _ADDRESS)
mk_not = _raw("Z3_mk_not", _ADDRESS, _ADDRESS)
mk_and, mk_or = _raw("Z3_mk_and", *_MANY), _raw("Z3_mk_or", *_MANY)
mk_xor, mk_iff = (_raw(name, _ADDRESS, _ADDRESS, _ADDRESS) for name in ("Z3_mk_xor", "Z3_mk_iff"))
mk_ite = _raw("Z3_mk_ite", _ADDRESS, _ADDRESS, _ADDRESS, _ADDRESS)
substitute = _raw("Z3_substitute", _ADDRESS, _ADDRESS, ctypes.c_uint, ctypes.c_char_p, ctypes.c_char_p)
get_app_num_args = _raw("Z3_get_app_num_args", _ADDRESS, _ADDRESS)
get_app_arg = _raw("Z3_get_app_arg", _ADDRESS, _ADDRESS, ctypes.c_uint)
solver_assert = _raw("Z3_solver_assert", _ADDRESS, _ADDRESS, _ADDRESS)
get_error_code = _raw("Z3_get_error_code", _ADDRESS)
inc_ref = _raw("Z3_inc_ref", _ADDRESS, _ADDRESS)
get_app_decl = _raw("Z3_get_app_decl", _ADDRESS, _ADDRESS)
model_get_const_interp = _raw("Z3_model_get_const_interp", _ADDRESS, _ADDRESS, _ADDRESS)
pair = struct.Struct("2P").pack


def addresses(terms: Iterable[int]) -> bytes:
    """Several addresses as C takes them."""
    many = tuple(terms)
    return struct.pack(f"{len(many)}P", *many)
