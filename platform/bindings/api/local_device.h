// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "models/protocol/host_queues/work_group.h"
#include "models/protocol/payload/guest_fault.h"
#include "platform/bindings/client/machine_impl.h"
#include "platform/machine/loader/kernels.h"
#include "platform/machine/loader/program.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/session/host_queues.h"
#include "platform/machine/session/resident_programs.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::api {

/// The programs and queues of a machine in this process. Throws Error.
class LocalDevice final : public Device::Impl {
 public:
  /// How its owner loads and shows things.
  struct Owner {
    session::Session& session;
    loader::SourceMap& sources;
    std::function<loader::Program(const std::string& given, std::string& warnings)> load;  // throws UserError
    std::function<Fault(const protocol::GuestFault& fault)> shown;
    std::function<void(const loader::Program& program)> added;
    session::HostQueues::Driver debugger;
    bool observed = false;  // checks know what was at an address, also when its program has been removed
  };
  /// Throws UserError if a machine cannot be a device with these options.
  static void check(const soc::SocParams& params, const DeviceOptions& options);
  LocalDevice(const Owner& owner, const DeviceOptions& options);

  // Device::Impl
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

  /// Runs for at most `cycles`, or until nothing is left to do. False: the device has ended.
  bool run_for(base::Cycle cycles);
  base::Cycle now() const { return queues_.now(); }
  /// The name of a launch: that of its kernel, unless it has one of its own. "": unknown.
  std::string name_of(const protocol::KernelRun& run) const;
  /// Runs until nothing is left to do, and ends the device.
  session::Outcome finish();
  /// All programs so far, as one: their segments and symbols. The notes are those of the first.
  const loader::Program& whole() const { return whole_; }
  /// The fault with the name of an assertion of one of the programs.
  protocol::GuestFault named(const protocol::GuestFault& fault) const;

 private:
  struct Loaded {
    loader::Program program;
    const loader::SourceMap* sources = nullptr;
    std::vector<std::uint32_t> kernels;  // ids
    std::vector<Ticket> launches;  // that may not have completed
    bool removed = false;
  };
  struct KnownKernel {
    std::uint32_t program = 0;
    loader::Kernel kernel;
    std::uint32_t startup = 0, object = 0;  // object: address of its KernelObject
  };

  static constexpr std::uint32_t kNoName = ~std::uint32_t{0};

  void name_launch(Ticket ticket, const std::string& name);
  Loaded& loaded(std::uint32_t program);
  const KnownKernel& known(std::uint32_t kernel) const;
  Kernel add_kernel(std::uint32_t program, const loader::Kernel& kernel, std::uint32_t startup);
  protocol::GridLaunch launch_of(const Launch& launch) const;

  void forget_kernels(Loaded& leaving);
  void take_out(std::uint32_t program);
  void join(const loader::Program& program);
  void part(const loader::Program& program);

  const Owner owner_;
  const DeviceFacts facts_;
  session::ResidentPrograms resident_;
  session::HostQueues queues_;
  std::map<std::uint32_t, Loaded> programs_;  // by id
  loader::Program whole_;
  std::map<std::uint32_t, KnownKernel> kernels_;  // by id
  std::uint32_t last_program_ = 0, last_kernel_ = 0;  // ids
  std::map<std::string, std::uint32_t> name_numbers_;
  std::vector<const std::string*> names_;  // by number
  std::vector<std::uint32_t> name_of_ticket_;  // number of the name, by ticket - 1; kNoName: a barrier
};

}  // namespace spica::api
