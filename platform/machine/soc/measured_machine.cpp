// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/measured_machine.h"

#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "models/base/clock_domain.h"
#include "platform/machine/soc/blocks.h"

namespace spica::soc {

MeasuredMachine::MeasuredMachine(Machine& machine) : machine_(machine), region_("marker", machine.clock()) {}

void MeasuredMachine::begin(std::vector<base::Component*> blocks,
                            std::vector<protocol::LineProfiled*> cores) {
  components_ = std::move(blocks);
  profiled_ = std::move(cores);
  for (base::Component* component : components_) {
    region_.watch(*component);
    base::register_block_type(component->type());
  }
  machine_.clock().add(region_);
}

std::string MeasuredMachine::short_name(const base::Component& block) const {
  return name_within(*region_.get_parent_object(), block);
}

void MeasuredMachine::start_profile() {
  for (protocol::LineProfiled* core : profiled_) core->start_profile();
}

void MeasuredMachine::catch_up() {
  for (base::Component* component : components_) {
    component->domain()->catch_up();
    component->catch_up();
  }
}

void MeasuredMachine::settle() {
  region_.settle();
  const base::StatWindow window = region_.window();
  for (base::Component* component : components_) {
    const base::Cycle length = region_.cycles(*component);
    for (const base::CycleAccount& account : component->stats().accounts()) {
      const std::uint64_t run = component->now() - account.start();
      if (account.total() != run)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles", component->name(),
                                           account.name(), account.total(), run));
      const std::vector<std::uint64_t> cycles = window.cycles(account);
      const std::uint64_t timed = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
      if (timed != length)
        throw std::logic_error(fmt::format("{}: the account '{}' sums to {} of {} cycles of the timed region",
                                           component->name(), account.name(), timed, length));
    }
  }
}

}  // namespace spica::soc
