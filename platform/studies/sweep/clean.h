// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

namespace spica::sweep {

/// The result of merging files of records.
struct Cleaned {
  std::uint64_t files = 0;    // files merged into one
  std::uint64_t running = 0;  // files of processes that may still write: unchanged
  std::uint64_t records = 0, doubles = 0, damaged = 0;
  std::uint64_t bytes_before = 0, bytes_after = 0;
};

/// Merges the records of ended processes, of all versions of the model, into one packed file in `folder`/records. Of
/// two equal records of a run, one is kept; damaged lines are dropped. Files are removed when all their records have
/// been read back from the new one. Files of other hosts stay, because their processes may still run, unless `all` is
/// set. Throws UserError.
Cleaned clean(const std::filesystem::path& folder, bool all);

}  // namespace spica::sweep
