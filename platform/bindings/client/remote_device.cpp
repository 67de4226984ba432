// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/client/remote_device.h"

#include "platform/bindings/client/process.h"

namespace spica::client {

Program RemoteDevice::add(const std::string& program) {
  return ask_(Writer() << Request::kAdd << absolute(program)).get<Program>();
}

void RemoteDevice::remove(std::uint32_t program) { ask_(Writer() << Request::kRemove << program); }

std::uint64_t RemoteDevice::symbol(std::uint32_t program, const std::string& name) {
  return ask_(Writer() << Request::kSymbol << program << name).get<std::uint64_t>();
}

std::string RemoteDevice::problems(const Launch& launch) {
  return ask_(Writer() << Request::kProblems << launch).get<std::string>();
}

Ticket RemoteDevice::enqueue(unsigned queue, const Launch& launch) {
  return ask_(Writer() << Request::kEnqueue << queue << launch).get<Ticket>();
}

Ticket RemoteDevice::enqueue_barrier(unsigned queue, const std::vector<Ticket>& after) {
  return ask_(Writer() << Request::kEnqueueBarrier << queue << after).get<Ticket>();
}

bool RemoteDevice::run_until(Ticket ticket) {
  return ask_(Writer() << Request::kRunUntil << ticket).get<bool>();
}

bool RemoteDevice::run_idle() { return ask_(Writer() << Request::kRunIdle).get<bool>(); }

LaunchTimes RemoteDevice::times(Ticket ticket) {
  return ask_(Writer() << Request::kTimes << ticket).get<LaunchTimes>();
}

std::vector<Fault> RemoteDevice::faults(std::size_t from) {
  return ask_(Writer() << Request::kFaults << std::uint64_t{from}).get<std::vector<Fault>>();
}

}  // namespace spica::client
