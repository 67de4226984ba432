// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spica::base {

/// The candidate closest to `word`; empty if none is close.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);

/// ", did you mean \"x\"?", or an empty string.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace spica::base
