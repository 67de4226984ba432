// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/compiler/cuda_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platform/base/input/printable.h"

namespace spica::compiler {

namespace {

/// Blanks for comments and for what is in quotes; lines stay.
std::string code_of(std::string text) {
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < text.size(); ++i)
      if (text[i] != '\n') text[i] = ' ';
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::size_t end = at;
    if (text.compare(at, 2, "//") == 0) {
      end = std::min(text.find('\n', at), text.size());
    } else if (text.compare(at, 2, "/*") == 0) {
      const std::size_t close = text.find("*/", at + 2);
      end = close == std::string::npos ? text.size() : close + 2;
    } else if (text[at] == '"' || text[at] == '\'') {
      end = at + 1;
      while (end < text.size() && text[end] != text[at] && text[end] != '\n')
        end += text[end] == '\\' ? 2 : 1;
      ++end;
    }
    if (end == at) continue;
    blank(at, end);
    at = end - 1;
  }
  return text;
}

/// The name before a launch, without the arguments of its template.
std::string kernel_before(const std::string& code, std::size_t at) {
  const auto is_blank = [&](std::size_t i) { return std::isspace(static_cast<unsigned char>(code[i])) != 0; };
  while (at > 0 && is_blank(at - 1)) --at;
  std::size_t begin = at;
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(code[begin - 1])) != 0 || code[begin - 1] == '_'))
    --begin;
  return begin == at ? "NAME" : code.substr(begin, at - begin);
}

}  // namespace

std::string launches_in(const std::vector<std::string>& files) {
  std::string notes;
  for (const std::string& file : files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) continue;
    std::ifstream stream(file);
    const std::string code = code_of({std::istreambuf_iterator<char>(stream), {}});
    for (std::size_t at = code.find("<<<"); at != std::string::npos; at = code.find("<<<", at + 3))
      notes += fmt::format(
          "{}:{}: kernel launches (<<<...>>>) need a host program or dynamic parallelism, and Spica has "
          "neither: use `spica run MACHINE X.elf --kernel {} --grid X --block "
          "X`, `spica stream` or spica.run(grid=, block=) in Python\n",
          input::printable(file),
          1 + std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n'),
          kernel_before(code, at));
  }
  return notes;
}

}  // namespace spica::compiler
