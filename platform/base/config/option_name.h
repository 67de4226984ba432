// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

namespace spica::config {

/// "--block-scale" for block_scale. For NAME=VALUE the value is unchanged.
inline std::string option_name(std::string name) {
  std::replace(name.begin(), std::find(name.begin(), name.end(), '='), '_', '-');
  return "--" + name;
}

}  // namespace spica::config
