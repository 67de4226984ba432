// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/stream/cluster_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "platform/base/input/number_text.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::stream {

namespace {

using protocol::ClusterSet;

bool all_digits(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<unsigned> cluster_number(const std::string& text) {
  const auto number = all_digits(text) ? input::parse_number(text) : std::nullopt;
  return number && *number < ClusterSet::kMost ? std::optional(static_cast<unsigned>(*number)) : std::nullopt;
}

/// "0-3" or "8".
bool insert_range(ClusterSet& set, const std::string& text) {
  const std::size_t dash = text.find('-');
  const auto first = cluster_number(text.substr(0, dash));
  const auto last = dash == std::string::npos ? first : cluster_number(text.substr(dash + 1));
  if (!first || !last || *first > *last) return false;
  set.insert(*first, *last);
  return true;
}

/// "0-3,8".
bool insert_ranges(ClusterSet& set, const std::string& text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (!insert_range(set, text.substr(begin, end - begin))) return false;
    begin = end + 1;
  }
  return true;
}

/// The hexadecimal digits of a mask, the last one for clusters 0 to 3.
bool insert_mask(ClusterSet& set, const std::string& digits) {
  if (digits.empty() || digits.size() > ClusterSet::kMost / 4) return false;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char digit = digits[digits.size() - 1 - i];
    if (std::isxdigit(static_cast<unsigned char>(digit)) == 0) return false;
    const unsigned bits = static_cast<unsigned>(std::stoul(std::string(1, digit), nullptr, 16));
    for (unsigned bit = 0; bit < 4; ++bit)
      if ((bits >> bit & 1) != 0) set.insert(static_cast<unsigned>(4 * i + bit));
  }
  return true;
}

}  // namespace

ClusterSet parse_clusters(const std::string& text, std::uint64_t clusters, const std::string& place) {
  const auto refuse = [&](const std::string& why) {
    throw input::UserError(fmt::format("{}: clusters '{}': {}", place, input::printable(text), why));
  };
  ClusterSet set;
  if (text.empty()) return set;
  if (all_digits(text)) {
    const auto number = cluster_number(text);
    refuse(
        fmt::format("a single number is ambiguous; cluster {0} alone is {0}-{0}, a bit mask starts with 0x",
                    number ? *number : 0));
  }
  const bool is_mask = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (is_mask && !insert_mask(set, text.substr(2)))
    refuse(fmt::format("a bit mask has 1 to {} hexadecimal digits", ClusterSet::kMost / 4));
  if (!is_mask && !insert_ranges(set, text))
    refuse(fmt::format("expected ranges of 0 to {}, for example 0-3,8", ClusterSet::kMost - 1));
  bool any = false;
  for (unsigned cluster = 0; cluster < clusters; ++cluster) any |= set.contains(cluster);
  if (!any && !set.all()) refuse(fmt::format("none of the machine's clusters, 0-{}", clusters - 1));
  return set;
}

}  // namespace spica::stream
