# The C library of CPython's WASI build begins in /, whatever the working directory of the process is.
import os

try:
    os.chdir(os.environ["PWD"])
except (KeyError, OSError):
    pass
