# SPDX-License-Identifier: Apache-2.0
"""The machine code of a program or object file for RISC-V of 32 bits."""
import pathlib
import struct

FUNCTION, SYMBOL_TABLE = 2, 2


def functions(path):
    """name -> [(address, word)] of all functions that have a size."""
    image = pathlib.Path(path).read_bytes()
    if image[:6] != b"\x7fELF\x01\x01":
        raise ValueError(f"{path}: no ELF file of 32 bits")
    start, = struct.unpack_from("<I", image, 32)
    size, count = struct.unpack_from("<HH", image, 46)
    # name, type, flags, address, offset, size, link, info, alignment, size of an entry
    sections = [struct.unpack_from("<10I", image, start + i * size) for i in range(count)]
    is_linked = struct.unpack_from("<H", image, 16)[0] == 2
    found = {}
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        if kind != SYMBOL_TABLE:
            continue
        names = sections[link][4]
        for at in range(offset, offset + length, entry):
            name, value, bytes_, info, _, section = struct.unpack_from("<3IBBH", image, at)
            if info & 15 != FUNCTION or bytes_ == 0 or not 0 < section < count:
                continue
            text = image[names + name:image.index(b"\0", names + name)].decode()
            _, _, _, address, begin, *_ = sections[section]
            first = begin + (value - address if is_linked else value)
            words = struct.unpack_from(f"<{bytes_ // 4}I", image, first)
            found[text] = [(value + 4 * i, word) for i, word in enumerate(words)]
    return found
