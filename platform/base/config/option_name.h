// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

namespace spica::config {

/// "--block-scale" of block_scale, as command lines have it; of NAME=VALUE the value stays as it is.
inline std::string option_name(std::string name) {
  std::replace(name.begin(), std::find(name.begin(), name.end(), '='), '_', '-');
  return "--" + name;
}

}  // namespace spica::config
