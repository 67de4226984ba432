// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/params.h"
#include "models/numeric/format.h"

namespace spica::numeric {

/// Formats as the values of a parameter.
template <Format... formats>
constexpr auto choices() {
  return base::Choices{base::Choice<Format>{info(formats).key, formats}...};
}

}  // namespace spica::numeric
