// SPDX-License-Identifier: Apache-2.0 A machine as a device that stays: kernels of any number of programs,
// one launch after the other, while memory and caches keep their contents. For drivers.
//
//   spica::Machine machine = spica::Machine::separate("virgo", {"run.mode=fast"});
//   spica::Device device(machine);                                   // instead of machine.load()
//   const spica::Program program = device.add("saxpy.elf");          // linked anywhere in free memory
//   const std::uint64_t x = device.facts().memory_begin + 0x1000000; // addresses are the caller's choice
//   machine.write(x, values);
//   machine.write(block, arguments);
//   spica::Launch launch{program.kernel("saxpy").id, {16}, {64}};
//   launch.arguments = block;
//   const spica::Ticket ticket = device.enqueue(0, launch);
//   if (!device.run_until(ticket)) throw std::runtime_error(machine.run().report);  // a fault or a hang
//   machine.read<float>(x, 1000);
//   device.times(ticket).ended;
#ifndef SPICA_DEVICE_H  // not #pragma once: it is installed at two places
#define SPICA_DEVICE_H

#include <spica/spica.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spica {

struct DeviceOptions {
  unsigned queue_packets = 1024;  // entries that a queue holds; a power of two from 16 to 65536
};

/// What a driver needs to know of a machine.
struct DeviceFacts {
  /// Global memory for programs, buffers and argument blocks: [memory_begin, memory_end). Queues and stacks
  /// are behind it.
  std::uint64_t memory_begin = 0, memory_end = 0;
  unsigned queues = 0;  // numbers 0 to queues - 1
  unsigned clusters = 0, cores = 0, warps = 0,
           lanes = 0;  // cores of a cluster, warps of a core, lanes of a warp
  std::uint64_t shared_bytes = 0;  // shared memory of a cluster
  unsigned barriers = 0;  // of a cluster
  std::uint64_t stack_bytes = 0;  // of a thread
  std::uint64_t cache_bytes = 0, line_bytes = 0;  // of the level 2 cache
  double mhz = 0;  // clock of the cores, in whose cycles all times are
};

/// A kernel of a program (SPICA_KERNEL).
struct Kernel {
  std::uint32_t id = 0;  // for Launch::kernel; unique on the device, not used again
  std::string name;
  unsigned threads = 0;  // of a work group, as declared; 0: the launch sets it
  std::uint32_t shared_bytes = 0;  // shared memory of a work group, as declared
  unsigned registers = 0;  // of a thread, for machines that count them
  unsigned barriers = 0;  // of a work group
};

/// A range of addresses: [begin, end).
struct AddressRange {
  std::uint64_t begin = 0, end = 0;
};

/// A program on a device.
struct Program {
  std::uint32_t id = 0;  // for remove() and symbol(); not used again
  std::vector<AddressRange> ranges;  // addresses that it occupies, one range per segment, ascending
  std::vector<Kernel> kernels;  // by name
  std::string warnings;  // one line each; "": none

  /// Throws Error.
  const Kernel& kernel(const std::string& name) const;
};

/// The number of an entry of a queue, from 1 in the order of the calls.
using Ticket = std::uint64_t;

/// A launch of a kernel.
struct Launch {
  std::uint32_t kernel = 0;  // Kernel::id
  std::vector<unsigned> grid = {1};  // work groups, in one to three dimensions
  std::vector<unsigned> block =
      {};  // threads of a work group, in one to three dimensions; empty: the kernel's own
  std::uint32_t shared_bytes = 0;  // shared memory of a work group, in addition to the kernel's own
  std::uint64_t arguments = 0;  // address of the argument block, passed to the kernel
  bool in_order = true;  // starts after all earlier entries of its queue have completed (barrier bit)
  std::vector<Ticket> after = {};  // starts after these have completed, in any queue
  std::string name = {};  // in reports; empty: that of the kernel
};

/// The simulated times of an entry of a queue, in cycles. Each is at least the one before.
struct LaunchTimes {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};  // not yet, or not for a barrier
  std::uint64_t submitted = kNever;  // enqueue()
  std::uint64_t launched = kNever;  // passed to the dispatcher
  std::uint64_t begun = kNever;  // first work group dispatched to a cluster
  std::uint64_t ended = kNever;  // end of the last warp
  std::uint64_t completed = kNever;  // completion signal written
};

/// A machine without a program of its own, whose command processor runs kernels from queues. Time advances
/// only in run_until(), run_idle(), Machine::run_cycles() and Machine::run(); in between the machine uses no
/// CPU time of the host.
///
/// Machine::read() and write() work at any time, without simulated time; kernels see what was written.
/// statistic(), counts(), cycles(), warp(), output(), on_output(), observe() and configuration() are as for a
/// program. run_cycles() returns true when nothing is left to do; run() runs until then and ends the device.
/// Functions of Machine about its one program throw Error.
///
/// A fault, a hang or run.max_cycles ends the device: run_until() returns false, run() the outcome, and
/// enqueue() throws Error.
class Device {
 public:
  /// Builds the machine, with dispatcher and command processor. Instead of Machine::load(), once. The machine
  /// must outlive the device. Throws Error.
  explicit Device(Machine& machine, const DeviceOptions& options = {});

  const DeviceFacts& facts() const { return facts_; }

  /// Loads a program of kernels at the addresses that it was linked for, also while others run: an ELF file,
  /// or a shipped kernel by name. Static constructors do not run. Throws Error: no kernels, built for another
  /// machine, outside of free memory, or overlaps another program.
  Program add(const std::string& program);
  /// Frees its addresses. Throws Error if launches of it have not completed.
  void remove(std::uint32_t program);
  /// Address of a symbol of a program. Throws Error.
  std::uint64_t symbol(std::uint32_t program, const std::string& name) const;

  /// The reasons why no cluster can run a launch, with values that would work, one line each; "": it can.
  /// Throws Error.
  std::string problems(const Launch& launch) const;
  /// Appends a launch to a queue, without simulated time. If the queue is full, the machine first runs until
  /// it has room. Throws Error: problems(), an unknown kernel, queue or ticket.
  Ticket enqueue(unsigned queue, const Launch& launch);
  /// Appends an entry that completes after all earlier entries of its queue and `after`; later entries start
  /// then.
  Ticket enqueue_barrier(unsigned queue, const std::vector<Ticket>& after = {});

  /// Runs until `ticket` has completed. False: the device has ended before.
  bool run_until(Ticket ticket);
  /// Runs until nothing is left to do. False: the device has ended before.
  bool run_idle();
  bool is_complete(Ticket ticket) const;
  /// Throws Error for an unknown ticket.
  LaunchTimes times(Ticket ticket) const;
  /// Faults, warnings and notes so far, without the first `from`.
  std::vector<Fault> faults(std::size_t from = 0) const;

  struct Impl;  // internal

 private:
  Impl* impl_;  // of the machine
  DeviceFacts facts_;
};

}  // namespace spica

#endif  // SPICA_DEVICE_H
