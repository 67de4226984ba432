// SPDX-License-Identifier: Apache-2.0
#include "models/tensor_core/styles.h"

#include <algorithm>

namespace spica::tensor_core {

#define SPICA_TENSOR_STYLE(name, key, folder, even, odd) const StyleParts& folder##_parts();
#include "models/isa/tensor_styles.def"
#undef SPICA_TENSOR_STYLE

namespace {

using Parts = const StyleParts& (*)();
/// By style.
constexpr Parts kParts[] = {
    nullptr,
#define SPICA_TENSOR_STYLE(name, key, folder, even, odd) &folder##_parts,
#include "models/isa/tensor_styles.def"
#undef SPICA_TENSOR_STYLE
};

}  // namespace

const StyleParts* parts_of(isa::TensorStyle style) {
  const Parts parts = kParts[static_cast<unsigned>(style)];
  return parts != nullptr ? &parts() : nullptr;
}

std::vector<const StyleParts*> all_parts() {
  std::vector<const StyleParts*> all;
  for (const Parts parts : kParts)
    if (parts != nullptr && std::find(all.begin(), all.end(), &parts()) == all.end()) all.push_back(&parts());
  return all;
}

}  // namespace spica::tensor_core
