// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace spica::compiler {

/// A cache of expensive files, by a name that identifies all their inputs: in the folder SPICA_CACHE, else
/// $XDG_CACHE_HOME/spica, else ~/.cache/spica, or without a home in a folder of this user below the folder for
/// temporary files. Several processes may request the same file. Remains of killed processes are removed, and damaged
/// files (truncated, changed) are created again.
class KernelCache {
 public:
  /// Throws UserError if the folder cannot be created, or others may write to it.
  KernelCache();

  /// The file `name`.elf. If it is missing, `make` gets an empty folder and returns a file in it.
  std::filesystem::path file(
      const std::string& name,
      const std::function<std::filesystem::path(const std::filesystem::path& folder)>& make) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace spica::compiler
