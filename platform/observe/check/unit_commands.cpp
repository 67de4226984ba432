// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/unit_commands.h"

#include <algorithm>
#include <utility>

namespace spica::check {

namespace {

/// Commands of a unit whose work may still begin.
constexpr std::size_t kCommands = 128;

}  // namespace

bool UnitCommands::Command::is_before(unsigned warp, const Knowledge& seen) const {
  return warp == by || seen.issued.of(by, Access::kWrite) >= published.issued.of(by, Access::kWrite);
}

void UnitCommands::add(std::uint32_t number, unsigned warp, const Knowledge& published) {
  commands_.insert_or_assign(number, Command{warp, published});
  if (commands_.size() <= kCommands) return;
  Command& oldest = commands_.begin()->second;
  const auto [before, fresh] = older_.try_emplace(oldest.by, oldest);
  if (!fresh) {
    for (unsigned i = 0; i < kEngines; ++i) oldest.last[i] = std::max(oldest.last[i], before->second.last[i]);
    before->second = std::move(oldest);
  }
  commands_.erase(commands_.begin());
}

UnitCommands::Command* UnitCommands::find(std::uint32_t number) {
  const auto found = commands_.find(number);
  return found == commands_.end() ? nullptr : &found->second;
}

const UnitCommands::Command* UnitCommands::find(std::uint32_t number) const {
  const auto found = commands_.find(number);
  return found == commands_.end() ? nullptr : &found->second;
}

std::array<Epoch, kEngines> UnitCommands::last_before(unsigned warp, const Knowledge& seen) const {
  std::array<Epoch, kEngines> last{};
  const auto add_work = [&](const Command& command) {
    if (!command.is_before(warp, seen)) return;
    for (unsigned i = 0; i < kEngines; ++i) last[i] = std::max(last[i], command.last[i]);
  };
  for (const auto& [number, command] : commands_) add_work(command);
  for (const auto& [by, command] : older_) add_work(command);
  return last;
}

}  // namespace spica::check
