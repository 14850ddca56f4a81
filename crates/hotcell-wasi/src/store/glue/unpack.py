# Takes the standard library out of the archive that CPython's WASI build carries in itself, once, so that programs need not do so
# each time they begin.
import zipfile

with zipfile.ZipFile("/usr/local/lib/python311.zip") as library:
    library.extractall("/opt/python/lib/python3.11")
