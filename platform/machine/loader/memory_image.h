// SPDX-License-Identifier: Apache-2.0
// Files of raw bytes that go into memory before a run (--load) and come out of it afterwards
// (--save).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/machine/loader/file.h"
#include "platform/machine/loader/memory_range.h"
#include "platform/machine/loader/source_map.h"

namespace spica::loader {

/// Bytes to write into memory.
struct LoadImage {
  std::string path;
  std::uint64_t address = 0;
  std::vector<unsigned char> bytes;
};

/// Bytes to read from memory.
struct SaveImage {
  std::string path;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// "FILE@ADDR", and reads the file. ADDR is decimal, 0x hexadecimal or a symbol of the program; the last @ counts.
/// Throws UserError: bad form, no such symbol, unreadable or empty file, outside `ranges`, more than the variable has
/// room for.
LoadImage parse_load(const std::string& text, const SourceMap& symbols,
                     const std::vector<MemoryRange>& ranges);

/// "FILE@ADDR+BYTES". BYTES is a number, also with B, KiB, MiB or GiB; it may be left out when ADDR is a symbol with a
/// known size. Throws UserError: bad form, no such symbol, size 0, outside `ranges`.
SaveImage parse_save(const std::string& text, const SourceMap& symbols,
                     const std::vector<MemoryRange>& ranges);

}  // namespace spica::loader
