// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/accelerator.h"

#include <sstream>
#include <utility>

#include "platform/bindings/api/errors.h"
#include "platform/bindings/api/home.h"
#include "platform/bindings/api/statistics.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/session/console_collector.h"
#include "platform/machine/soc/build_machine.h"
#include "platform/machine/soc/keys.h"
#include "platform/machine/soc/soc_config.h"

namespace spica {

struct Accelerator::Impl final : protocol::FaultIf, protocol::ConsoleIf {
  void report(const protocol::GuestFault& fault) override;
  void put(const protocol::Origin& origin, unsigned lane, const char* characters, unsigned count) override {
    console.put(origin, lane, characters, count);
  }
  void build(Accelerator& owner, const sc_core::sc_time& period) {
    built = soc::build_machine("machine", params, params.run.mode, period);
    soc::AssembledMachine* const machine = built.machine.get();
    machine->fault.bind(*this);
    machine->console.bind(*this);
    const soc::HostSide side = machine->host();
    owner.host.bind(side.in);
    side.done.bind(owner.done);
    side.reset.bind(owner.reset);
  }

  soc::AssembledMachine& machine() const { return *built.machine; }

  config::Source source;
  soc::SocParams params;
  const loader::Program unknown;  // which one the host has stored
  const loader::SourceMap sources{unknown};
  session::ConsoleCollector console;
  std::function<void(const Fault&)> on_fault;
  soc::BuiltMachine built;
};

void Accelerator::Impl::report(const protocol::GuestFault& fault) {
  if (on_fault) on_fault(api::fault_of(fault, params, sources, false));
}

Accelerator::Accelerator(const sc_core::sc_module_name& name, const std::string& configuration,
                         const std::vector<std::string>& overrides, const sc_core::sc_time& period,
                         const char* share)
    : sc_module(name), impl_(std::make_unique<Impl>()) {
  const api::Home home = api::find_home(share);
  api::check_home(home, configuration, share);
  api::as_errors([&] {
    std::vector<std::string> all = overrides;
    all.emplace_back("host.present=true");
    impl_->source = config::load(configuration, all, home.configs);
    config::apply(impl_->source, impl_->params);
    impl_->build(*this, period);
  });
}

Accelerator::~Accelerator() = default;

tlm::tlm_initiator_socket<32>& Accelerator::memory() {
  if (!impl_->params.main_memory.external)
    throw Error(std::string("the machine has a memory of its own; ") + soc::keys::kExternalMemory +
                "=true lets you bind one");
  return *impl_->built.memory;
}

std::uint64_t Accelerator::cycles() const { return impl_->machine().now(); }

std::uint64_t Accelerator::statistic(const std::string& name) const {
  return api::statistic(impl_->machine(), impl_->built.measured, name);
}

std::vector<std::string> Accelerator::statistics() const {
  std::vector<std::string> names;
  for (auto& [name, value] : api::statistics(impl_->machine(), impl_->built.measured)) names.push_back(name);
  return names;
}

std::string Accelerator::output() const { return impl_->console.text(); }

void Accelerator::on_output(std::function<void(const std::string&)> listener) {
  impl_->console.listen(std::move(listener));
}

void Accelerator::on_fault(std::function<void(const Fault&)> listener) {
  impl_->on_fault = std::move(listener);
}

std::string Accelerator::configuration() const {
  std::ostringstream text;
  config::dump(text, impl_->params, impl_->source);
  return text.str();
}

}  // namespace spica
