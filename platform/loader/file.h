// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace spica::loader {

/// All bytes of a file. Throws UserError: missing, a folder, not readable.
std::vector<unsigned char> read_file(const std::string& path);

/// Replaces the file. Throws UserError: folder missing, not writable, disk full.
void write_file(const std::string& path, const std::vector<unsigned char>& bytes);

/// SHA-1 of the bytes as 40 hex digits, the same as `sha1sum` prints. Names a file, protects
/// nothing.
std::string sha1_text(const std::vector<unsigned char>& bytes);

}  // namespace spica::loader
