// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace spica::sweep {

/// What became of the files of records.
struct Cleaned {
  std::uint64_t files = 0;    // that are one now
  std::uint64_t running = 0;  // of processes that may still write: left as they are
  std::uint64_t records = 0, doubles = 0, damaged = 0;
  std::uint64_t bytes_before = 0, bytes_after = 0;
};

/// Merges the records of processes that have ended, those of all versions of the model, into one packed file in
/// `folder`/records. Of two that say the same of one run one stays; damaged lines are dropped. Files are removed when
/// all of their records have been read back from the new one. Whether processes on other hosts have ended is not known
/// here: their files stay, unless `all`. Throws UserError.
Cleaned clean(const std::filesystem::path& folder, bool all);

}  // namespace spica::sweep
