// SPDX-License-Identifier: Apache-2.0
// What the driver needs of a simulated machine: memory, programs and launches. session_machine.h binds the
// real one.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace spica::opencl {

/// What a configuration offers to OpenCL.
struct DeviceFacts {
  std::string name;
  unsigned compute_units = 1;  // what runs a work group
  unsigned warp_lanes = 1;
  unsigned max_group_items = 1;  // work items of a group
  std::uint64_t local_bytes = 0;  // shared memory of a work group
  std::uint64_t private_bytes = 0;  // stack of a work item
  std::uint64_t memory_base = 0, memory_bytes = 0;  // range of buffers
  std::uint64_t program_base = 0, program_bytes = 0;  // range of programs
  bool keeps_programs = false;  // those that were removed stay where they are
  std::uint64_t cache_bytes = 0;  // last level; 0: no cache
  unsigned cache_line_bytes = 0;
  unsigned clock_mhz = 1;
};

/// One execution of a kernel.
struct Launch {
  unsigned queue = 0;
  std::uint64_t program = 0;  // from DeviceMachine::add_program
  std::string kernel;
  std::array<std::uint32_t, 3> groups{1, 1, 1}, local{1, 1, 1};  // work groups, work items of each
  std::uint32_t local_bytes = 0;  // shared memory of a group for __local arguments
  std::vector<std::uint8_t> arguments;  // argument block, head included
};

/// The end of a launch. Times are in ns of simulated time.
struct Completion {
  std::uint64_t launch = 0;  // from DeviceMachine::submit
  std::uint64_t submit_ns = 0, begin_ns = 0, end_ns = 0;
  std::uint64_t cycles = 0;
};

/// The machine has stopped: a fault or a hang of a kernel. what() is the report. No launch works after it;
/// memory can still be read.
class MachineStopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A machine that keeps its memory and its time between launches. Used by one thread at a time.
class DeviceMachine {
 public:
  virtual ~DeviceMachine() = default;

  /// Memory accesses take no simulated time.
  virtual void write(std::uint64_t address, const void* from, std::size_t bytes) = 0;
  virtual void read(std::uint64_t address, void* to, std::size_t bytes) = 0;
  /// Loads an ELF file; returns its number.
  virtual std::uint64_t add_program(const std::string& elf) = 0;
  /// Frees the addresses of a program without unfinished launches.
  virtual void remove_program(std::uint64_t program) = 0;
  /// Enqueues a launch and returns its number, which is not 0. Throws std::exception if the machine cannot
  /// run it. Launches of one queue run in order; those of different queues may overlap.
  virtual std::uint64_t submit(const Launch& launch) = 0;
  /// Runs until at least one submitted launch has ended. Throws MachineStopped.
  virtual std::vector<Completion> run() = 0;
  /// Simulated time so far, in ns.
  virtual std::uint64_t now_ns() = 0;
};

/// Starts a machine; throws std::exception with the reason.
using MachineStarter = std::function<std::unique_ptr<DeviceMachine>()>;

}  // namespace spica::opencl
