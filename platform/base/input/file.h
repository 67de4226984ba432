// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/base/input/regular_file.h"

namespace spica::input {

/// Maximum size of a file for read_file(), unless given otherwise.
inline constexpr std::uint64_t kMaxFileBytes = kGiB;

/// All bytes of a regular file. Throws UserError: missing, a folder, a device or a pipe, larger than
/// `limit` bytes, not readable.
std::vector<unsigned char> read_file(const std::string& path, std::uint64_t limit = kMaxFileBytes);

/// Replaces the file in one step: readers see the old or the complete new file, and the old one is kept if the disk is
/// full. Anything but a regular file (a pipe with a reader, /dev/stdout) is written in place. Throws UserError: folder
/// missing, not writable, disk full, a pipe without a reader.
void write_file(const std::string& path, const std::vector<unsigned char>& bytes);
/// Opens an existing or new file for writing, with further flags of open(2). Does not wait for a reader of a pipe: a
/// pipe without one, like any other obstacle, throws UserError.
int open_output(const std::string& path, int flags);
/// For use before a long run: throws UserError if the file is an existing folder, pipe, socket or device. Open files of
/// a process (/dev/stdout, /dev/fd/3) may be any of them.
void check_output(const std::string& path);
/// The same for text.
void write_text(const std::string& path, std::string_view text);

}  // namespace spica::input
