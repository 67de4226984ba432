// SPDX-License-Identifier: Apache-2.0
// Files of raw bytes that are loaded into memory before a run (--load) and saved from it afterwards (--save).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/input/file.h"
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

/// Parses "FILE@ADDR" and reads the file. ADDR is decimal, 0x hexadecimal or a symbol of the program; the last @
/// separates. Throws UserError: bad form, unknown symbol, unreadable or empty file, outside `ranges`, larger than the
/// variable.
LoadImage parse_load(const std::string& text, const SourceMap& symbols,
                     const std::vector<MemoryRange>& ranges);

/// Parses "FILE@ADDR+BYTES". BYTES is a number, optionally with B, KiB, MiB or GiB; it may be omitted if ADDR is a
/// symbol of known size. Throws UserError: bad form, unknown symbol, size 0, outside `ranges`.
SaveImage parse_save(const std::string& text, const SourceMap& symbols,
                     const std::vector<MemoryRange>& ranges);

}  // namespace spica::loader
