// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "platform/machine/loader/source_map.h"
#include "platform/observe/debug/supervisor.h"
#include "platform/observe/debug/target.h"

namespace spica::debug {

/// The commands of gdb's `monitor`, for features that gdb does not have.
class Monitor {
 public:
  Monitor(Target& target, Supervisor& supervisor, const loader::SourceMap& sources,
          const std::filesystem::path& root)
      : target_(target), supervisor_(supervisor), sources_(sources), root_(std::filesystem::absolute(root)) {}

  /// Executes a command for thread `warp` and returns its output, in whole lines. An unknown command or a missing
  /// argument gives an error message.
  std::string run(const std::string& command, unsigned warp);

 private:
  std::string warps();
  std::string barriers();
  std::string stack(unsigned warp);
  std::string lane(const std::vector<std::string>& words, unsigned warp);
  std::string peek(const std::vector<std::string>& words, unsigned warp);
  std::string events(const std::vector<std::string>& words);

  Target& target_;
  Supervisor& supervisor_;
  const loader::SourceMap& sources_;
  std::filesystem::path root_;
};

}  // namespace spica::debug
