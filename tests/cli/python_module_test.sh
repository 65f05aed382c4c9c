#!/bin/sh
# The module of Python: what its documentation says, by numbers of otf2-print and of the rows themselves.
cd "$(dirname "$0")/../.." || exit 1
PYTHONPATH="$PWD/build/release/python/dist-packages" PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
exec /usr/bin/python3 tests/cli/python_module.py
