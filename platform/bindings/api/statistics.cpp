// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/statistics.h"

#include <fmt/format.h>

#include <string_view>

#include "models/base/suggest.h"
#include "platform/base/input/printable.h"
#include "platform/bindings/client/spica.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/measured_machine.h"

namespace spica::api {

std::vector<std::pair<std::string, std::uint64_t>> statistics(soc::AssembledMachine& machine,
                                                              soc::MeasuredMachine* soc) {
  std::vector<std::pair<std::string, std::uint64_t>> found = {
      {"instructions", machine.warp_instructions()},
      {"thread_instructions", machine.lane_instructions()},
      {"simulated_cycles", machine.now()}};
  if (soc != nullptr) soc->catch_up();
  const auto add = [&found](const std::string& block, std::string_view name, std::uint64_t value) {
    found.emplace_back(block + "." + std::string(name), value);
  };
  for (base::Component* block : soc != nullptr ? soc->components() : machine.foreign_components()) {
    const std::string name = machine.short_name(*block);
    for (const base::StatGroup::Entry& entry : block->stats().counters())
      add(name, entry.name, entry.counter.value());
    std::string_view before;
    unsigned number = 0;  // among those of one name
    for (const base::CycleAccount& account : block->stats().accounts()) {
      number = account.name() == before ? number + 1 : 0;
      before = account.name();
      const std::string prefix =
          name + "." + std::string(account.name()) + (number == 0 ? "" : "_" + std::to_string(number));
      std::uint64_t total = 0;
      for (std::size_t i = 0; i < account.size(); ++i) {
        const std::uint64_t cycles = account.cycles_at(i, block->now());
        add(prefix, account.reason(i), cycles);
        total += cycles;
      }
      found.emplace_back(prefix, total);
    }
  }
  return found;
}

std::uint64_t statistic(soc::AssembledMachine& machine, soc::MeasuredMachine* soc, const std::string& name) {
  std::vector<std::string> names;
  for (auto& [known, value] : statistics(machine, soc)) {
    if (known == name) return value;
    names.push_back(known);
  }
  throw Error(fmt::format("the machine has no statistic '{}'{}", input::printable(name),
                          base::did_you_mean(name, names)));
}

}  // namespace spica::api
