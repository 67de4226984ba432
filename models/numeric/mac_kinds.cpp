// SPDX-License-Identifier: Apache-2.0
#include "models/numeric/mac_kinds.h"

#include <deque>

namespace spica::numeric {

namespace {

/// For good: descriptions of blocks name it.
std::string_view keep(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text));
}

}  // namespace

std::vector<base::EnergyEvent> mac_events(const std::string& block, std::string_view place,
                                          std::string_view line) {
  std::vector<base::EnergyEvent> events;
  for (const MacKindInfo& kind : kMacKinds) {
    const base::EventSource of_line =
        line.empty() ? base::EventSource{} : base::EventSource{line, 1, kind.of_micro_op};
    events.push_back({keep(block + ".mac_" + std::string(kind.key)),
                      {{"macs", 1, kind.is}},
                      "MAC",
                      place,
                      of_line,
                      kind.text});
  }
  return events;
}

void add_mac_properties(base::Properties& properties, Format operand) {
  for (const MacKindInfo& kind : kMacKinds)
    properties.emplace_back(kind.is, &kind == &mac_kind(operand) ? 1 : 0);
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
