// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace spica::compiler {

/// Files that are expensive to make, kept by a name that says all that goes into them: in the folder that SPICA_CACHE
/// names, else in $XDG_CACHE_HOME/spica, else in ~/.cache/spica, and without a home in a folder of this user's in the
/// folder for temporary files. Several processes may ask for the same file. What processes leave that were killed is
/// removed, and a file that is not the one that was made (truncated, changed) is made again.
class KernelCache {
 public:
  /// Throws UserError: the folder cannot be made, or others may write to it.
  KernelCache();

  /// The file `name`.elf. If it is not there `make` gets an empty folder of its own and returns a file in it.
  std::filesystem::path file(
      const std::string& name,
      const std::function<std::filesystem::path(const std::filesystem::path& folder)>& make) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace spica::compiler
