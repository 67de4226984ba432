// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/loader/source_lines.h"

#include <algorithm>

#include "platform/base/input/printable.h"
#include "platform/base/input/regular_file.h"

namespace spica::loader {

namespace {

/// The name comes from the program: it may be that of a device or of a huge file.
constexpr std::uint64_t kLimit = 16 * input::kMiB;

}  // namespace

std::vector<std::string> SourceLines::read(const std::string& file) const {
  const std::string raw = input::unprintable(file);
  for (const std::filesystem::path& path :
       {std::filesystem::path(file), root_ / file, std::filesystem::path(raw), root_ / raw}) {
    const input::FileContent content = input::read_regular_file(path.string(), kLimit);
    if (!content.problem.empty()) continue;
    const std::string text = content.text();
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const bool carriage = end > begin && text[end - 1] == '\r';
      lines.push_back(
          input::printable_lines(std::string_view(text).substr(begin, end - begin - (carriage ? 1 : 0))));
      begin = end + 1;
    }
    return lines;
  }
  return {};
}

const std::string& SourceLines::line(const std::string& file, unsigned number) {
  static const std::string kNone;
  if (file.empty() || number == 0) return kNone;
  auto [at, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = at->second;
  if (is_new) lines = read(file);
  return number <= lines.size() ? lines[number - 1] : kNone;
}

}  // namespace spica::loader
