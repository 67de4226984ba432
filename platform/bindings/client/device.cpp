// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/client/device.h"

#include "platform/bindings/client/machine_impl.h"

namespace spica {

const Kernel& Program::kernel(const std::string& name) const {
  std::string names;
  for (const Kernel& kernel : kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + kernel.name;
  }
  throw Error("the program has no kernel '" + name + "'; there are: " + names);
}

Device::Device(Machine& machine, const DeviceOptions& options)
    : impl_(&Machine::Impl::of(machine).stand(options)), facts_(impl_->facts()) {}

Program Device::add(const std::string& program) { return impl_->add(program); }
void Device::remove(std::uint32_t program) { impl_->remove(program); }

std::uint64_t Device::symbol(std::uint32_t program, const std::string& name) const {
  return impl_->symbol(program, name);
}

std::string Device::problems(const Launch& launch) const { return impl_->problems(launch); }
Ticket Device::enqueue(unsigned queue, const Launch& launch) { return impl_->enqueue(queue, launch); }

Ticket Device::enqueue_barrier(unsigned queue, const std::vector<Ticket>& after) {
  return impl_->enqueue_barrier(queue, after);
}

bool Device::run_until(Ticket ticket) { return impl_->run_until(ticket); }
bool Device::run_idle() { return impl_->run_idle(); }

bool Device::is_complete(Ticket ticket) const {
  return impl_->times(ticket).completed != LaunchTimes::kNever;
}

LaunchTimes Device::times(Ticket ticket) const { return impl_->times(ticket); }
std::vector<Fault> Device::faults(std::size_t from) const { return impl_->faults(from); }

}  // namespace spica
