// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/unit_sites.h"

namespace spica::check {

void UnitSites::take(unsigned unit, const Party& party) {
  constexpr std::size_t kMost = 128;
  auto& commands = units_[unit].commands;
  commands.insert_or_assign(party.command, party);
  if (commands.size() > kMost) commands.erase(commands.begin());
}

std::uint32_t UnitSites::site(unsigned unit, const protocol::UnitWork& work, Party::What what) {
  Last& last =
      units_[unit].sites[static_cast<unsigned>(what) - static_cast<unsigned>(Party::What::kUnitLoad)];
  if (last.command == work.origin.command && last.command != 0) return last.index;
  const auto& commands = units_[unit].commands;
  const auto found = commands.find(work.origin.command);
  Party party = found != commands.end() ? found->second : Party{};
  if (found == commands.end()) {
    party.core = work.origin.core;
    party.warp = work.origin.warp;
    party.lanes = work.origin.lanes;
    party.pc = work.origin.pc;
    party.unit = static_cast<std::uint16_t>(unit);
    party.command = work.origin.command;
  }
  party.what = what;
  last = {work.origin.command, static_cast<std::uint32_t>(parties_.size())};
  parties_.push_back(party);
  loops_.push_back(work.loop);
  return last.index;
}

bool UnitSites::in_order(std::uint32_t one, Engine engine, std::uint32_t other, Engine other_engine) const {
  return rules_.in_order(part(one, engine), part(other, other_engine));
}

}  // namespace spica::check
