"""Makes python-start.wasm: the memory that the linked module begins with, and nothing else of it.

usage: python3.13 start.py <linked module> <result>

The result is a WebAssembly module with a memory, its data and no code. A host that puts this memory under the
code of python.wasm, which wizer leaves as it was, has an interpreter before its start (README.md, "Hash seed").
"""

import pathlib
import sys

HEADER = 8
MEMORY, DATA = 5, 11
EXPORT_OF_MEMORY = b"\x07\x0a\x01\x06memory\x02\x00"


def sections(module):
    """Each section's number, and its bytes with their head."""
    at = HEADER
    while at < len(module):
        begin, kind = at, module[at]
        length = shift = 0
        while True:
            at += 1
            length |= (module[at] & 0x7F) << shift
            shift += 7
            if not module[at] & 0x80:
                break
        at += 1 + length
        yield kind, module[begin:at]


def without_tables(module):
    """scrub.c wipes them from every image, and the zip has them: stdlib.py checks the marks."""
    begin, middle, end = (module.index(b"\0Glovebox\0" + mark.ljust(6, b"\0")) for mark in (b"begin", b"middle", b"end"))
    module[begin + 16 : middle] = bytes(middle - begin - 16)
    module[middle + 16 : end] = bytes(end - middle - 16)
    return module


def main(linked, result):
    module = without_tables(bytearray(pathlib.Path(linked).read_bytes()))
    kept = {kind: content for kind, content in sections(module)}
    pathlib.Path(result).write_bytes(module[:HEADER] + kept[MEMORY] + EXPORT_OF_MEMORY + kept[DATA])


main(*sys.argv[1:])
