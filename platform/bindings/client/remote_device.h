// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "platform/bindings/client/machine_impl.h"
#include "platform/bindings/client/wire.h"

namespace spica::client {

/// A device in another process.
class RemoteDevice final : public Device::Impl {
 public:
  /// Sends a request, and returns the answer.
  using Ask = std::function<Reader(const Writer& request)>;
  RemoteDevice(Ask ask, const DeviceFacts& facts) : ask_(std::move(ask)), facts_(facts) {}

  DeviceFacts facts() const override { return facts_; }
  Program add(const std::string& program) override;
  void remove(std::uint32_t program) override;
  std::uint64_t symbol(std::uint32_t program, const std::string& name) override;
  std::string problems(const Launch& launch) override;
  Ticket enqueue(unsigned queue, const Launch& launch) override;
  Ticket enqueue_barrier(unsigned queue, const std::vector<Ticket>& after) override;
  bool run_until(Ticket ticket) override;
  bool run_idle() override;
  LaunchTimes times(Ticket ticket) override;
  std::vector<Fault> faults(std::size_t from) override;

 private:
  const Ask ask_;
  const DeviceFacts facts_;
};

}  // namespace spica::client
