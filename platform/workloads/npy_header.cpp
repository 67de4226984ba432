// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "platform/base/input/user_error.h"
#include "platform/base/text/pattern.h"

namespace spica::workloads {

namespace {

[[noreturn]] void refuse(const std::string& path, const char* why) {
  throw input::UserError(fmt::format("{}: {}", path, why));
}

}  // namespace

NpyHeader read_npy_header(const std::string& path, std::string_view file) {
  if (file.substr(0, kNpyMagic.size()) != kNpyMagic || file.size() < 12)
    refuse(path, "is not a file of numpy.save (.npy)");
  const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(file[at])}; };
  const std::size_t length_bytes = byte(6) == 1 ? 2 : 4, begin = 8 + length_bytes;
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(8 + i) << 8 * i;
  if (file.size() < begin + length) refuse(path, "ends within its header");
  const std::string words(file.substr(begin, length));
  NpyHeader header;
  header.end = begin + length;
  const auto found = [&](const text::Pattern& pattern, const char* otherwise) {
    auto groups = pattern.search(words);
    if (!groups) refuse(path, otherwise);
    return groups->at(1);
  };
  static const text::Pattern descr("'descr'\\s*:\\s*'([^']*)'"),
      order("'fortran_order'\\s*:\\s*(True|False)"),
      shape("'shape'\\s*:\\s*\\(((?:\\s*\\d{1,9}\\s*,?)*)\\s*\\)"), extent("\\d+");
  header.descr = found(descr, "has elements that consist of several numbers");
  header.fortran_order = found(order, "does not define the order of its elements") == "True";
  for (const auto& one : extent.search_all(found(shape, "has no shape")))
    header.extents.push_back(std::stoull(one.at(0)));
  return header;
}

std::string npy_header(std::string_view descr, const std::vector<std::uint64_t>& extents) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr,
                                   fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
  constexpr std::size_t kBegin = 10, kAlignment = 64;
  header.append((kAlignment - (kBegin + header.size() + 1) % kAlignment) % kAlignment, ' ').push_back('\n');
  std::string start(kNpyMagic);
  start.append(
      {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)});
  return start + header;
}

}  // namespace spica::workloads
