"""Mapped memory as sequences of words and bytes: by cffi, or where it is missing, a memoryview."""

from __future__ import annotations

import mmap
from typing import Any


def words_of(memory: mmap.mmap) -> Any:
    """Memory as an indexable of unsigned 32-bit words."""
    return _cast(memory, "uint32_t *", "I")


def signed_words_of(memory: mmap.mmap) -> Any:
    """Memory as an indexable of signed 64-bit words."""
    return _cast(memory, "int64_t *", "q")


def signed_halves_of(memory: mmap.mmap) -> Any:
    """Memory as an indexable of signed 16-bit words."""
    return _cast(memory, "int16_t *", "h")


def bytes_of(memory: mmap.mmap) -> Any:
    """Memory as an indexable of the numbers in its bytes."""
    return _cast(memory, "uint8_t *", "B")


def buffer_of(memory: mmap.mmap) -> Any:
    """Memory as a sequence of bytes whose slices are bytes."""
    ffi = _cffi()
    return ffi.buffer(ffi.from_buffer(memory)) if ffi else memory


def _cast(memory: mmap.mmap, pointer: str, code: Any) -> Any:
    """Memory by a C type of cffi, or by its code in Python's struct module."""
    ffi = _cffi()
    return ffi.cast(pointer, ffi.from_buffer(memory)) if ffi else memoryview(memory).cast(code)


def _cffi() -> Any:
    """The interface of cffi; None where it is not installed, as it may be with CPython."""
    try:
        from pns.system.bindings import ffi
    except ImportError:
        return None
    return ffi
