// SPDX-License-Identifier: Apache-2.0
#include "platform/workloads/special_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "models/numeric/convert.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::workloads {

namespace {
bool has_infinity(const numeric::FormatInfo& format) { return format.specials == numeric::Specials::kIeee; }
bool has_nan(const numeric::FormatInfo& format) { return format.specials != numeric::Specials::kNone; }
}  // namespace

void check_special_values(const std::string& file, const std::vector<float>& values, std::uint32_t columns,
                          Element format) {
  const numeric::FormatInfo& info = numeric::info(format);
  const auto is_missing = [&](float value) {
    return std::isnan(value) ? !has_nan(info) : std::isinf(value) && !has_infinity(info);
  };
  const auto found = std::find_if(values.begin(), values.end(), is_missing);
  if (found == values.end()) return;
  const bool is_nan = std::isnan(*found);
  std::vector<std::string> others;
  for (const numeric::FormatInfo& other : numeric::kFormats)
    if (is_nan ? has_nan(other) : has_infinity(other)) others.emplace_back(other.key);
  const auto at = static_cast<std::uint64_t>(found - values.begin());
  throw input::UserError(
      fmt::format("{}: element [{}][{}] is {}, which {} does not have{}; formats that have it: {}",
                  input::printable(file), at / columns, at % columns, is_nan ? "NaN" : "infinite", info.key,
                  std::count_if(found, values.end(), is_missing) > 1
                      ? fmt::format(" ({} such elements)", std::count_if(found, values.end(), is_missing))
                      : "",
                  fmt::join(others, ", ")));
}

std::uint64_t count_beyond(const std::vector<float>& values, Element format, double scale) {
  constexpr double kRounding = 1 + 0x1p-20;  // of a quotient that is meant to be the largest
  const double most = static_cast<double>(numeric::largest(format)) * scale * kRounding;
  return static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), [&](float value) {
    return std::isfinite(value) && std::fabs(static_cast<double>(value)) > most;
  }));
}

SpecialCount count_special(const std::vector<float>& values) {
  SpecialCount count;
  for (const float value : values) {
    count.infinite += std::isinf(value);
    count.nan += std::isnan(value);
  }
  return count;
}

std::string special_text(const SpecialCount& count) {
  const auto some = [](std::uint64_t number, const char* what) {
    return number == 0 ? "" : fmt::format("{} element{} {}", number, number == 1 ? " is" : "s are", what);
  };
  const std::string infinite = some(count.infinite, "infinite"), nan = some(count.nan, "NaN");
  return infinite.empty() || nan.empty() ? infinite + nan : infinite + ", " + nan;
}

}  // namespace spica::workloads
