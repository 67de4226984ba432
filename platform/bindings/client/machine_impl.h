// SPDX-License-Identifier: Apache-2.0
// The implementation of a Machine: in this process (platform/bindings/api), or in another process (process.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "platform/bindings/client/device.h"
#include "platform/bindings/client/spica.h"

namespace spica {

/// The functions of Device.
struct Device::Impl {
  virtual ~Impl() = default;

  virtual DeviceFacts facts() const = 0;
  virtual Program add(const std::string& program) = 0;
  virtual void remove(std::uint32_t program) = 0;
  virtual std::uint64_t symbol(std::uint32_t program, const std::string& name) = 0;
  virtual std::string problems(const Launch& launch) = 0;
  virtual Ticket enqueue(unsigned queue, const Launch& launch) = 0;
  virtual Ticket enqueue_barrier(unsigned queue, const std::vector<Ticket>& after) = 0;
  virtual bool run_until(Ticket ticket) = 0;
  virtual bool run_idle() = 0;
  virtual LaunchTimes times(Ticket ticket) = 0;
  virtual std::vector<Fault> faults(std::size_t from) = 0;
};

/// The functions of Machine without its convenience overloads.
struct Machine::Impl {
  virtual ~Impl() = default;

  struct Time {
    std::uint64_t cycles;
    double mhz;
  };

  virtual void observe(const Observation& observation) = 0;
  virtual void load(const std::string& program) = 0;
  /// Builds the machine as a device. The result belongs to the machine.
  virtual Device::Impl& stand(const DeviceOptions& options) = 0;
  virtual void arguments(const std::string& list) = 0;
  virtual void grid(const std::string& kernel, const std::string& grid, const std::string& block) = 0;
  /// One of `launch` (with grid, block, and an argument list), `record` and `wait`, as in a file of streams.
  struct Step {
    std::string stream, launch, grid, block, arguments, record, wait;
  };
  virtual void step(const Step& step) = 0;
  virtual Variable variable(const std::string& name) = 0;
  /// Implements Machine::write(symbol, ...).
  void fill(const std::string& symbol, const Type& type, const void* data);
  virtual void write(std::uint64_t address, const void* from, std::size_t bytes, unsigned cluster) = 0;
  virtual void read(std::uint64_t address, void* to, std::size_t bytes, unsigned cluster) = 0;
  virtual Outcome run() = 0;
  virtual bool run_cycles(std::uint64_t cycles) = 0;
  virtual Time time() = 0;
  virtual std::uint64_t statistic(const std::string& name) = 0;
  virtual std::vector<std::pair<std::string, std::uint64_t>> counts() = 0;
  virtual Warp warp(unsigned core, unsigned warp) = 0;
  virtual std::string output() = 0;
  virtual void on_output(std::function<void(const std::string&)> listener) = 0;
  virtual std::string configuration() = 0;

  /// For callers that use an Impl directly.
  static Machine machine(std::unique_ptr<Impl> impl) { return Machine(std::move(impl)); }
  static Impl& of(Machine& machine) { return *machine.impl_; }
};

}  // namespace spica
