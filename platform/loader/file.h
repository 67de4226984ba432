// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/input/regular_file.h"

namespace spica::loader {

/// The largest file that read_file() takes by default.
inline constexpr std::uint64_t kMaxFileBytes = input::kGiB;

/// All bytes of a regular file. Throws UserError: missing, a folder, a device or a pipe, larger than
/// `limit` bytes, not readable.
std::vector<unsigned char> read_file(const std::string& path, std::uint64_t limit = kMaxFileBytes);

/// Replaces the file, in one step: readers find the old one or the whole new one, and the old one stays when
/// the disk is full. Anything but a regular file (a pipe, /dev/stdout) is written in place. Throws UserError: folder
/// missing, not writable, disk full.
void write_file(const std::string& path, const std::vector<unsigned char>& bytes);
/// The same for text.
void write_text(const std::string& path, std::string_view text);

/// SHA-1 of the bytes as 40 hex digits, the same as `sha1sum` prints. Names a file, protects
/// nothing.
std::string sha1_text(const std::vector<unsigned char>& bytes);

}  // namespace spica::loader
