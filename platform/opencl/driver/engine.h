// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "platform/opencl/driver/allocator.h"
#include "platform/opencl/driver/device.h"
#include "platform/opencl/driver/event.h"
#include "platform/opencl/driver/program_area.h"

namespace spica::opencl {

/// One device of a context: its machine, which starts at the first need, and what runs there. Used by the
/// context's worker, but for now_ns().
class Engine {
 public:
  explicit Engine(cl_device_id device);

  cl_device_id device() const { return device_; }
  const std::shared_ptr<ProgramArea>& programs() const { return programs_; }
  /// Simulated time after the latest command, in ns.
  std::uint64_t now_ns() const { return now_ns_; }

  /// Starts the machine if there is none. Throws std::exception.
  DeviceMachine& machine();
  /// Starts a kernel, and keeps its event until it ends.
  void submit(const Ref<_cl_event>& event);
  bool has_launches() const { return !running_.empty(); }
  struct Ended {
    Ref<_cl_event> event;
    Completion completion;
  };
  /// Runs until one of the launches has ended. Throws MachineStopped; then abandon() has their events.
  std::vector<Ended> run();
  std::vector<Ref<_cl_event>> abandon();
  /// Takes over the time of the machine.
  std::uint64_t update_time();

 private:
  std::uint64_t program_number(const Executable& executable);

  const cl_device_id device_;
  std::shared_ptr<ProgramArea> programs_;
  std::unique_ptr<DeviceMachine> machine_;
  std::map<std::uint64_t, std::uint64_t>
      program_numbers_;  // of the machine, by serial number of the executable
  std::map<std::uint64_t, Ref<_cl_event>> running_;  // by number of the launch
  std::atomic<std::uint64_t> now_ns_{0};
};

}  // namespace spica::opencl
