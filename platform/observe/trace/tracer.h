// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/machine/soc/sampler.h"
#include "platform/observe/trace/trace_options.h"
#include "platform/observe/trace/writer.h"

namespace spica::trace {

/// The traces of a run: passes the events that the filter keeps to one writer per file. A file that reaches its limit
/// is closed.
class Tracer final : public protocol::ProbeIf, public soc::RunObserver {
 public:
  /// Opens the files. Throws UserError with all errors in the options, one line each. `context` has no filter yet.
  Tracer(const TraceOptions& options, Context context, const loader::Program& program);
  /// Lets `sampler` read the context's meters; before the run.
  void sample_with(soc::Sampler& sampler);

  /// Sets the texts for kernels of queues; before the run.
  void describe_kernels(std::function<KernelText(const protocol::KernelRun&)> text) {
    context_.kernel_text = std::move(text);
  }

  /// Notes for the user after the run: incomplete files.
  const std::vector<std::string>& notes() const { return notes_; }
  /// Likewise: files that could not be written completely.
  const std::vector<std::string>& failures() const { return failures_; }

  // soc::RunObserver
  base::Cycle next_edge() const override { return base::kNever; }
  void at_edge(base::Cycle) override {}
  void at_markers(base::Cycle cycle, unsigned begins, unsigned ends) override;
  void end(base::Cycle cycle) override;

  // protocol::ProbeIf
  void on_fetch(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_decode(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::Instruction& instruction) override;
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_commit(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::RegisterFile& registers) override;
  void on_drop(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                          unsigned count) override;
  void on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) override;
  void on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                     std::uint32_t pc) override;
  void on_warp_end(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) override;
  void on_issue_slot(base::Cycle cycle, unsigned core, const protocol::Origin& origin,
                     unsigned reason) override;
  void on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                  std::uint32_t word) override;
  void on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) override;
  void on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) override;
  void on_kernel_launch(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                        const protocol::KernelRun& run) override;
  void on_kernel_end(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                     const protocol::KernelRun& run) override;

 private:
  /// Everything in progress at a time, for writers that are switched on then.
  struct State {
    protocol::Origin origin;
    unsigned reason = 0;
  };
  struct Work {
    protocol::Origin origin;
    protocol::UnitWork::Kind kind;
    protocol::Piece from, to;
    protocol::Move::Stream stream;
  };
  struct Output {
    std::unique_ptr<Writer> writer;
    bool done = false;
  };

  void open(const TraceOptions& options, std::vector<std::string>& problems);
  bool follow(base::Cycle cycle);
  void start(base::Cycle cycle);
  void stop(base::Cycle cycle);
  void finish(Output& output, base::Cycle cycle, bool full);
  template <class Event>
  void forward(base::Cycle cycle, Event&& event) {
    if (!follow(cycle)) return;
    for (Output& output : outputs_) {
      if (output.done) continue;
      event(*output.writer);
      if (output.writer->file().full()) finish(output, cycle, true);
    }
  }

  static constexpr base::Cycle kSample = 256;  // cycles between two samples of the meters
  soc::CounterSeries::Row read_meters() const;

  Context context_;
  std::vector<Output> outputs_;
  bool on_ = false;
  bool by_time_ = false;
  base::Cycle last_ = 0;  // cycle of the last event
  long open_markers_ = 0;
  std::map<std::pair<unsigned, unsigned>, State> warps_;  // by core and warp; only with by_time_
  std::map<unsigned, State> slots_;  // by core
  std::map<std::pair<unsigned, std::uint32_t>, Work> works_;  // by source and id
  std::map<std::pair<unsigned, std::uint32_t>, protocol::KernelRun> kernels_;  // by source and number
  std::vector<std::string> notes_, failures_;
};

}  // namespace spica::trace
