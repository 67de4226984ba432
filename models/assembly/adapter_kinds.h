// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/base/params.h"

namespace spica::assembly {

class Kinds;

/// Parameters of width_bridge. One of the two widths is 32, the width of all Spica blocks.
struct WidthBridgeParams {
  std::uint64_t from = 32, to = 64;

  template <class Report>
  static void check(const WidthBridgeParams& p, Report&& contradiction) {
    if ((p.from == 32) == (p.to == 32)) contradiction({"from", "to"}, "exactly one of the two must be 32");
  }
  /// Neither larger nor smaller values are better hardware (see describe.h).
  static constexpr std::string_view kPolicies[] = {"from", "to"};

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field("from", p.from, "bit", base::Range{32, 512, base::kPow2}, "width of the socket before it");
    field("to", p.to, "bit", base::Range{32, 512, base::kPow2}, "width of the socket behind it");
  }
};

/// The modules of adapters/ that can be placed between two blocks.
void add_adapter_kinds(Kinds& kinds);

}  // namespace spica::assembly
