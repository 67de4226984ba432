// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/unit_sites.h"

namespace spica::check {

void UnitSites::take(unsigned unit, const Accessor& accessor) {
  constexpr std::size_t kMost = 128;
  auto& commands = units_[unit].commands;
  commands.insert_or_assign(accessor.command, accessor);
  if (commands.size() > kMost) commands.erase(commands.begin());
}

std::uint32_t UnitSites::site(unsigned unit, const protocol::UnitWork& work, Accessor::What what) {
  Last& last =
      units_[unit].sites[static_cast<unsigned>(what) - static_cast<unsigned>(Accessor::What::kUnitLoad)];
  if (last.command == work.origin.command && last.command != 0) return last.index;
  const auto& commands = units_[unit].commands;
  const auto found = commands.find(work.origin.command);
  Accessor accessor = found != commands.end() ? found->second : Accessor{};
  if (found == commands.end()) {
    accessor.core = work.origin.core;
    accessor.warp = work.origin.warp;
    accessor.lanes = work.origin.lanes;
    accessor.pc = work.origin.pc;
    accessor.unit = static_cast<std::uint16_t>(unit);
    accessor.command = work.origin.command;
  }
  accessor.what = what;
  last = {work.origin.command, static_cast<std::uint32_t>(accessors_.size())};
  accessors_.push_back(accessor);
  loops_.push_back(work.loop);
  return last.index;
}

bool UnitSites::in_order(std::uint32_t one, Engine engine, std::uint32_t other, Engine other_engine) const {
  return rules_.in_order(part(one, engine), part(other, other_engine));
}

}  // namespace spica::check
