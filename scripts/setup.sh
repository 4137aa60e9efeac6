#!/bin/sh
# Makes a clone ready to run: installs the Debian packages that are missing, then makes .venv with
# PyPy and the Python packages. It may be run again at any time and leaves alone what is installed.
set -eu

usage='usage: sh scripts/setup.sh [--native]

Installs PyPy (with apt-get, where it is missing) and the Python packages (in .venv).
No compiler is needed or called.

  --native   also build py-lmdb and psutil, where there is a C compiler'

say() { echo "setup: $*"; }
die() { echo "setup: $*" >&2; exit 1; }

# The Debian packages that are missing.
missing_packages() {
    command -v pypy3 >/dev/null || { echo pypy3 pypy3-venv liblmdb0; return; }
    pypy3 -c '
import cffi, ensurepip, sys
if sys.version_info < (3, 9):
    sys.exit("setup: pypy3 is Python %d.%d; this needs 3.9 or newer" % sys.version_info[:2])
if ensurepip.version() is None:  # as Debian leaves it without its wheel of pip
    print("pypy3-venv")
try:
    cffi.FFI().dlopen("liblmdb.so.0")
except OSError:
    print("liblmdb0")'
}

# install_packages NAME...: installs them with apt-get; if it cannot, says how to and exits 1.
install_packages() {
    install="apt-get install -y --no-install-recommends $*"
    if [ "$(id -u)" = 0 ]; then as_root=env; else as_root='sudo env'; fi
    if command -v apt-get >/dev/null && command -v "${as_root%% *}" >/dev/null; then
        say "installing $* with apt-get"
        if $as_root apt-get update -q
            $as_root DEBIAN_FRONTEND=noninteractive $install -q -o DPkg::Lock::Timeout=300
        then return; fi
    fi
    die "cannot install $*; as root, run: apt-get update && $install"
}

# locked NAME...: these lock files of scripts/requirements, after a line for the interpreter.
locked() {
    pypy3 -c 'import sys; print("#", sys.implementation.cache_tag)'
    for name; do cat "scripts/requirements/$name.txt"; done
}

# has FILE REQUIREMENTS: whether .venv runs and has these requirements, as FILE records.
has() { [ "$(cat "$1" 2>/dev/null)" = "$2" ] && .venv/bin/python -c '' 2>/dev/null; }

# pip_install NAME OPTION...: installs what a lock file names, or says in a line why it cannot.
pip_install() {
    file=scripts/requirements/$1.txt
    shift
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-input \
        --no-build-isolation --require-hashes "$@" --requirement "$file" >.venv/pip.log 2>&1 ||
        die "pip cannot install the packages: $(why_pip_failed <.venv/pip.log). It reads" \
            "HTTPS_PROXY (a proxy), PIP_CERT (a file of certificates to trust) and" \
            "PIP_INDEX_URL (another index); .venv/pip.log has what it printed"
}

# The reason in what pip printed: the last lines hide that the index was not reached.
why_pip_failed() {
    awk '
    /certificate/ { reason = "the certificate of the index, or of a proxy, is not trusted" }
    /connection broken/ && !reason { reason = "the index of packages is not reached" }
    /^ERROR: / { sub(/^ERROR: /, ""); last = $0 }
    END { print reason ? reason : last ? last : "no reason given" }'
}

native=
for argument; do
    case $argument in
        --native) native=1 ;;
        -h | --help) echo "$usage"; exit ;;
        *) echo "setup: unknown argument '$argument'" >&2; echo "$usage" >&2; exit 2 ;;
    esac
done

cd "$(dirname "$0")/.."
PATH=${PATH#"$PWD/.venv/bin:"}  # PyPy itself, where .venv is activated
if command -v flock >/dev/null; then  # a second setup.sh waits for the first
    exec 9<scripts/setup.sh
    flock 9
fi

missing=$(missing_packages)
if [ -n "$missing" ]; then install_packages $missing; fi

wanted=$(locked build main)
if ! has .venv/installed "$wanted"; then
    say "installing the Python packages in .venv"
    rm -f .venv/installed
    pypy3 -m venv --clear .venv
    pip_install build --only-binary=:all:
    # msgpack has no wheel for PyPy; with this variable its source needs no compiler.
    MSGPACK_PUREPYTHON=1 pip_install main --only-binary=:all: --no-binary=msgpack
    echo "$wanted" >.venv/installed
fi
ln -sf ../../scripts/pns .venv/bin/pns

if [ -n "$native" ]; then
    wanted=$(locked native)
    if has .venv/installed-native "$wanted"; then
        :
    elif ! echo '#include <stdlib.h>' | cc -E - >/dev/null 2>&1; then
        say "no C compiler, so py-lmdb and psutil are left out: apt-get install -y gcc libc6-dev"
    else
        header=$(pypy3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h
        if [ ! -e "$header" ]; then install_packages pypy3-dev; fi
        say "building py-lmdb and psutil"
        LMDB_FORCE_CFFI=1 pip_install native --no-binary=lmdb,psutil
        echo "$wanted" >.venv/installed-native
    fi
fi
say "ready: the command is .venv/bin/pns. Try
    .venv/bin/pns solve '0*17'
    .venv/bin/pns draw '0*17' --move '0*8.AB|0*8.AB'
    .venv/bin/pns play '0*5'
    .venv/bin/pns explore
    .venv/bin/pns --help"
