// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/mac_kinds.h"

namespace spica::numeric {

void add_mac_properties(base::Properties& properties, Format operand) {
  for (unsigned kind = 0; kind < kMacKinds; ++kind)
    properties.emplace_back(kIsMacKind[kind], kind == static_cast<unsigned>(mac_kind(operand)) ? 1 : 0);
}

void add_mac_area(base::AreaTerms& area, std::string_view part, Format operand, double count) {
  using base::Structure;
  if (!info(operand).is_float) {
    area.add(part, Structure::kMacInt8, info(operand).bits == 4 ? count / 2 : count);
    return;
  }
  if (operand == Format::kFp32) {
    area.add(part, Structure::kMacFp32, count);
    return;
  }
  const auto significand = [](Format format) { return 1.0 + info(format).fraction_bits; };
  const double share = significand(operand) / significand(Format::kFp16);
  area.add(part, Structure::kMacFp16, count * share * share);
  if (share < 1) area.add(part, Structure::kAddFp32, count * (1 - share * share));
}

}  // namespace spica::numeric
