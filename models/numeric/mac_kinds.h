// SPDX-License-Identifier: Apache-2.0
// The energy of a multiply-accumulate by the format of its operands. All units that multiply report it in the same way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/base/area.h"
#include "models/base/block_type.h"
#include "models/numeric/format.h"

namespace spica::numeric {

/// A kind of multiply-accumulates.
struct MacKindInfo {
  std::string_view key;
  std::string_view is;  // property of a block: 1 for the kind that it multiplies, otherwise 0
  std::string_view of_micro_op;  // property: multiply-accumulates of a micro-op of a tensor core
  std::string_view text;  // text of the event
};
/// By MacKind.
inline constexpr MacKindInfo kMacKinds[] = {
#define SPICA_MAC_KIND(key, text) {key, "is_" key, key "_macs_per_micro_op", "multiply-accumulates of " text}
    SPICA_MAC_KIND("fp32", "FP32 operands"),
    SPICA_MAC_KIND("fp16", "FP16 operands into FP32"),
    SPICA_MAC_KIND("tf32", "TF32 operands into FP32"),
    SPICA_MAC_KIND("bf16", "BF16 operands into FP32"),
    SPICA_MAC_KIND("fp8", "operands of 8 bits into FP32"),
    SPICA_MAC_KIND("fp6", "operands of 6 bits into FP32"),
    SPICA_MAC_KIND("fp4", "operands of 4 bits into FP32"),
    SPICA_MAC_KIND("int8", "integers of 8 bits into 32 bits"),
    SPICA_MAC_KIND("int4", "integers of 4 bits into 32 bits"),
#undef SPICA_MAC_KIND
};

constexpr const MacKindInfo& mac_kind(Format operand) {
  return kMacKinds[static_cast<unsigned>(info(operand).mac)];
}

/// The energy events `block`.mac_fp32 and so on: the counter `macs` of a block with add_mac_properties(). `line`: the
/// counter of the per-instruction profile that counts micro-ops; empty: none.
std::vector<base::EnergyEvent> mac_events(const std::string& block, std::string_view place,
                                          std::string_view line = {});

/// Adds MacKindInfo::is of each kind.
void add_mac_properties(base::Properties& properties, Format operand);

/// Area of `count` multiply-accumulates of the format. Multipliers grow with the square of the significand (wang), so
/// the area of an FP16 MAC is scaled by the ratio of the squares; the rest of it is FP32 adders. Integers use that of
/// an INT8 MAC, 4-bit integers half of it.
void add_mac_area(base::AreaTerms& area, std::string_view part, Format operand, double count);

}  // namespace spica::numeric
