// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/observe/trace/phases.h"
#include "platform/observe/trace/writer.h"

namespace spica::trace {

/// JSON in the Trace Event Format, for ui.perfetto.dev and chrome://tracing. One process per core with a thread per
/// warp: its states, as slices inside longer phases (phases.h); arrivals at barriers; loads and stores in flight as
/// counters; an additional thread for regions marked by the program. One process per unit with threads for commands of
/// CSR 0xACC (CISC) and of MMIO (RoCC), from their acceptance to the end of their last piece of work, and one for each
/// piece of work that overlaps others. A process "streams" with a thread per queue of kernels: a slice from launch to
/// end of each kernel. A process "memory" with counters. Times are in microseconds. A slice is written when it ends.
class PerfettoWriter final : public Writer {
 public:
  PerfettoWriter(const Context& context, const std::string& path, std::uint64_t limit);

  void start(base::Cycle cycle) override;
  void stop(base::Cycle cycle) override;
  void finish(base::Cycle cycle, const std::string& why) override;
  void sample(base::Cycle from, base::Cycle to, const std::vector<std::uint64_t>& counted) override;

  void on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) override;
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_commit(base::Cycle cycle, const protocol::Origin& origin, const isa::RegisterFile&) override;
  void on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                          unsigned count) override;
  void on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) override;
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override;
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override;
  void on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) override;
  void on_kernel_launch(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                        const protocol::KernelRun& run) override;
  void on_kernel_end(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                     const protocol::KernelRun& run) override;

 private:
  struct Slice {
    bool open = false;
    base::Cycle from = 0;
    unsigned reason = 0;
    std::uint32_t pc = 0;
  };
  struct Work {
    base::Cycle from;
    std::string name, arguments;
    unsigned thread;
    std::uint32_t command;  // number of its command
  };
  struct Command {
    protocol::Origin origin;
    base::Cycle from = 0, to = 0;
    std::string name, arguments;
    unsigned first_thread = 0;
    unsigned open = 0;  // pieces of work in progress
  };
  /// A period between markers of a warp.
  struct Region {
    base::Cycle from;
    std::uint32_t pc;
    unsigned number;
  };
  struct Kernel {
    base::Cycle from;
    protocol::KernelRun run;
    unsigned thread;
  };
  struct Arrival {
    protocol::Origin origin;
    base::Cycle cycle = 0;
  };

  std::string us(base::Cycle cycle) const;
  static unsigned process_of_core(unsigned core) { return core + 1; }
  static unsigned process_of_unit(unsigned source) { return 1000 + source; }
  void name_process(unsigned process, const std::string& name);
  void name_unit(unsigned source);
  void name_thread(unsigned process, unsigned thread, const std::string& name);
  const std::string& place_of(std::uint32_t pc);
  void close_slice(unsigned warp, base::Cycle cycle);
  void close_phase(unsigned warp, const Phases::Phase& phase);
  void mark(const protocol::InstructionEvent& event);
  void close_region(unsigned warp, base::Cycle cycle);
  bool is_csr(std::uint32_t pc) const;
  void close_commands(unsigned source, std::uint32_t below);
  void close_command(unsigned source, const Command& command);
  void close_work(unsigned source, const Work& work, base::Cycle cycle);
  unsigned free_thread(const protocol::KernelRun& run);
  void close_kernel(const Kernel& kernel, base::Cycle cycle);
  void count_memory(unsigned core, base::Cycle cycle);
  void flow(const std::string& name, const protocol::Origin& from, base::Cycle begin, unsigned process,
            unsigned thread, base::Cycle end);
  unsigned free_thread(unsigned source, protocol::UnitWork::Kind kind);

  std::string separator_;  // before the next event
  std::vector<Slice> slices_;  // by warp_index()
  std::vector<Phases> phases_;  // by warp_index()
  std::vector<std::vector<Region>> regions_;  // open regions, by warp_index()
  std::vector<unsigned> region_numbers_;  // regions so far, by warp_index()
  base::Cycle first_mark_ = base::kNever, last_mark_ = base::kNever;  // of all warps: first begin, last end
  std::map<std::pair<unsigned, std::uint32_t>, Command> commands_;  // by source and number
  std::map<std::pair<unsigned, unsigned>, base::Cycle> ends_;  // of command threads, by source and thread
  std::vector<std::vector<std::uint32_t>> memory_;  // pcs of memory instructions in flight, by warp_index()
  std::vector<unsigned> in_flight_;  // their number, by core
  std::map<std::pair<unsigned, unsigned>, Arrival> last_arrival_;  // by cluster and barrier
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> waiting_;  // warps, by core and barrier
  std::map<std::pair<unsigned, std::uint32_t>, Work> works_;  // by source and id
  std::map<std::uint32_t, Kernel> kernels_;  // running kernels, by queue
  bool streams_named_ = false;  // the process of the queues has a name
  std::set<unsigned> units_;  // units with a name
  std::set<std::pair<unsigned, unsigned>> named_;  // threads with a name, by process
  std::set<std::pair<unsigned, unsigned>> taken_;  // threads of units with work
  std::unordered_map<std::uint32_t, std::string> places_;  // never iterated
  std::uint64_t flows_ = 0;
};

}  // namespace spica::trace
