"""Write pns/system/bindings.py: the package's C declarations, in the form that cffi loads.

usage: pypy3 scripts/make_bindings.py

cffi would parse the declarations whenever a program starts, which takes a fifth of a second.
The written module needs neither the parser nor a compiler (cffi's out-of-line ABI mode).
"""

from __future__ import annotations

import bootstrap

import os
import tempfile
from importlib import import_module

PATH = os.path.join(bootstrap.ROOT, "pns", "system", "bindings.py")
HEADER = '''"""C types and the calls of liblmdb. Written by scripts/make_bindings.py."""

'''
DECLARATIONS = """
typedef struct MDB_env MDB_env;
typedef struct MDB_txn MDB_txn;
typedef struct MDB_cursor MDB_cursor;
typedef unsigned int MDB_dbi;
typedef struct { size_t mv_size; char *mv_data; } MDB_val;
typedef struct {
    unsigned int ms_psize, ms_depth;
    size_t ms_branch_pages, ms_leaf_pages, ms_overflow_pages, ms_entries;
} MDB_stat;
typedef struct {
    void *me_mapaddr;
    size_t me_mapsize, me_last_pgno, me_last_txnid;
    unsigned int me_maxreaders, me_numreaders;
} MDB_envinfo;

char *mdb_strerror(int code);
int mdb_env_create(MDB_env **env);
int mdb_env_open(MDB_env *env, const char *path, unsigned int flags, unsigned int mode);
void mdb_env_close(MDB_env *env);
int mdb_env_set_mapsize(MDB_env *env, size_t size);
int mdb_env_set_maxreaders(MDB_env *env, unsigned int readers);
int mdb_env_stat(MDB_env *env, MDB_stat *stat);
int mdb_env_info(MDB_env *env, MDB_envinfo *info);
int mdb_reader_check(MDB_env *env, int *dead);
int mdb_txn_begin(MDB_env *env, MDB_txn *parent, unsigned int flags, MDB_txn **txn);
int mdb_txn_commit(MDB_txn *txn);
void mdb_txn_abort(MDB_txn *txn);
int mdb_dbi_open(MDB_txn *txn, const char *name, unsigned int flags, MDB_dbi *dbi);
int mdb_get(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data);
int mdb_put(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data, unsigned int flags);
int mdb_del(MDB_txn *txn, MDB_dbi dbi, MDB_val *key, MDB_val *data);
int mdb_cursor_open(MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor);
void mdb_cursor_close(MDB_cursor *cursor);
int mdb_cursor_get(MDB_cursor *cursor, MDB_val *key, MDB_val *data, int op);
"""


def bindings() -> str:
    """The text of pns/system/bindings.py."""
    ffi = import_module("cffi").FFI()
    ffi.set_source("pns.system.bindings", None)
    ffi.cdef(DECLARATIONS)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "bindings.py")
        ffi.emit_python_code(path)
        with open(path, encoding="ascii") as file:
            return HEADER + file.read().partition("\n")[2]


if __name__ == "__main__":
    with open(PATH, "w", encoding="ascii") as file:
        file.write(bindings())
