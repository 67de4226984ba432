// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/sample/sample_options.h"

#include <fmt/format.h>

#include <charconv>
#include <set>
#include <sstream>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::sample {

namespace {

[[noreturn]] void refuse(const std::string& item, const char* expected) {
  throw input::UserError(fmt::format("--sample: {}: expected {}", input::printable(item), expected));
}

/// "1%" or "0.01".
double share(const std::string& item, std::string text, double least, double most, const char* expected) {
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (percent) value /= 100;
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most))
    refuse(item, expected);
  return value;
}

}  // namespace

SampleOptions parse_sample(const std::string& text) {
  SampleOptions options;
  if (text == "auto") return options;
  std::istringstream items(text);
  std::set<std::string> seen;
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t sign = item.find('=');
    const std::string key = item.substr(0, sign),
                      value = sign == std::string::npos ? "" : item.substr(sign + 1);
    if (!seen.insert(key).second) refuse(item, "each key once");
    if (key == "error") {
      options.error = share(item, value, 0, 0.5, "error=0% (all is simulated) to 50%");
    } else if (key == "confidence") {
      options.confidence = share(item, value, 0.5, 0.999, "confidence=50% to 99.9%");
    } else if (key == "max") {
      options.most = share(item, value, 0.001, 1, "max=0.1% to 100%");
    } else if (key == "seed") {
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), options.seed);
      if (error != std::errc() || end != value.data() + value.size())
        refuse(item, "seed=0 or a larger integer");
    } else {
      refuse(item, "auto, or error=, confidence=, max= or seed=, separated by commas");
    }
  }
  if (seen.empty()) refuse(text, "auto, or error=, confidence=, max= or seed=, separated by commas");
  return options;
}

}  // namespace spica::sample
