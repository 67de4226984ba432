// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/source_lines.h"

#include <fstream>

namespace spica::loader {

const std::string& SourceLines::line(const std::string& file, unsigned number) {
  static const std::string kNone;
  if (file.empty() || number == 0) return kNone;
  auto [at, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = at->second;
  if (is_new) {
    std::ifstream stream(file);
    if (!stream) stream.open(root_ / file);
    for (std::string line; std::getline(stream, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      lines.push_back(line);
    }
  }
  return number <= lines.size() ? lines[number - 1] : kNone;
}

}  // namespace spica::loader
