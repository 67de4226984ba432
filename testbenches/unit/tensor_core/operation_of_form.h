// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "models/tensor_core/warp_mma/operation.h"

namespace spica::tensor_core::warp_mma {

/// The operation of a form, or nullptr where the tensor core does not have it.
inline const Operation* find_operation(Generation style, unsigned form) {
  const auto& all = operations(style);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Operation& o) { return o.form == form; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace spica::tensor_core::warp_mma
