// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/observe/trace/writer.h"

namespace spica::trace {

/// Value change dump (IEEE 1364, section 18), for GTKWave and other viewers. For each core: one wire per reason of its
/// issue slot, running warps, warps at a barrier, the barrier last reached. For each unit: commands so far, and pieces
/// of work in progress by kind. For a command processor: the queues with running kernels.
class VcdWriter final : public Writer {
 public:
  VcdWriter(const Context& context, const std::string& path, std::uint64_t limit);

  void start(base::Cycle cycle) override;
  void stop(base::Cycle cycle) override;
  void finish(base::Cycle cycle, const std::string& why) override;
  void on_issue_slot(base::Cycle cycle, unsigned core, const protocol::Origin& origin,
                     unsigned reason) override;
  void on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) override;
  void on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                          unsigned count) override;
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override;
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override;
  void on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) override;
  void on_kernel_launch(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                        const protocol::KernelRun& run) override;
  void on_kernel_end(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                     const protocol::KernelRun& run) override;

 private:
  struct Signal {
    std::string code;
    unsigned width;
    std::uint64_t value, shown;
    bool known, queued;
  };
  struct Core {
    std::vector<unsigned> slot;  // signals, by reason
    unsigned running, at_barrier, barrier;
    std::uint64_t running_warps = 0, waiting_warps = 0;
  };
  struct Unit {
    unsigned commands = 0, busy = 0;
    std::vector<unsigned> work;  // signals, by kind
    std::uint64_t counted = 0;
    std::vector<std::uint64_t> under_way;
  };

  unsigned declare(const std::string& name, unsigned width);
  void set(base::Cycle cycle, unsigned signal, std::uint64_t value);
  void go_to(base::Cycle cycle);
  void write_changes();
  void write_value(const Signal& signal);
  void count(base::Cycle cycle, Unit& unit, unsigned kind, int change);
  void set_busy(base::Cycle cycle);

  std::uint64_t picoseconds(base::Cycle cycle) const;
  std::vector<Signal> signals_;
  std::vector<unsigned> changed_;  // in the current cycle
  std::vector<Core> cores_;  // of the cores shown; the others have no signals
  std::map<unsigned, Unit> units_;
  std::map<std::pair<unsigned, std::uint32_t>, unsigned> kinds_;  // kinds of the work in progress
  unsigned busy_queues_ = 0;  // signal, if there are queues
  std::map<std::uint32_t, unsigned> queue_of_;  // by running kernel
  base::Cycle now_ = 0;
  bool time_written_ = false;
  bool dump_ = false;  // the next values are a complete dump
};

}  // namespace spica::trace
