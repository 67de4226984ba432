// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/unused_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <string_view>

#include "platform/base/input/printable.h"
#include "platform/machine/soc/soc_config.h"

namespace spica::soc {

UnusedParameters::UnusedParameters(const SocParams& params, const std::vector<config::EffectiveValue>& values)
    : params_(params) {
  for (const config::EffectiveValue& value : values)
    for (const char* name : {".present", ".enabled"})
      if (boost::ends_with(value.key, name) && value.text == "false")
        switches_.emplace(value.key.substr(0, value.key.rfind('.') + 1), value.key);
}

std::string UnusedParameters::why(const config::EffectiveValue& value) const {
  if (boost::starts_with(value.key, params_.unused_group() + std::string(".")))
    return fmt::format("network.kind is {}", params_.network.is_crossbar() ? "crossbar" : "bus");
  for (std::size_t dot = value.key.find('.'); dot != std::string::npos; dot = value.key.find('.', dot + 1))
    if (const auto found = switches_.find(value.key.substr(0, dot + 1));
        found != switches_.end() && found->second != value.key)
      return found->second + " is false";
  const bool of_the_run = boost::starts_with(value.key, "run.");
  if (params_.run.mode == Mode::kFast && value.timing && !of_the_run && value.unit != "MHz")
    return "the fast mode has no such time";
  return {};
}

std::string unused_settings(const SocParams& params, const config::Source& source,
                            const std::vector<std::string>& overrides, const std::vector<std::string>& own) {
  if (own.empty()) return {};
  std::string text;
  const std::vector<config::EffectiveValue> values = config::effective(params, source);
  const UnusedParameters unused(params, values);
  for (const config::EffectiveValue& value : values) {
    constexpr std::string_view kPlace = "--set #";
    if (!boost::starts_with(value.place, kPlace)) continue;
    const std::string& setting = overrides.at(std::stoul(value.place.substr(kPlace.size())) - 1);
    if (std::find(own.begin(), own.end(), setting) == own.end()) continue;
    if (const std::string why = unused.why(value); !why.empty())
      text += fmt::format("warning: --set {} has no effect: {}.\n", input::printable(setting), why);
  }
  return text;
}

}  // namespace spica::soc
