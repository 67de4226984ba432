// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/tracer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "models/base/suggest.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/observe/trace/instruction_log.h"
#include "platform/observe/trace/kanata_writer.h"
#include "platform/observe/trace/perfetto_writer.h"
#include "platform/observe/trace/vcd_writer.h"

namespace spica::trace {

namespace {

struct TraceKind {
  std::string name;
  std::vector<std::string> endings;
};
const std::vector<TraceKind> kTraceKinds{
    {"perfetto", {".json"}}, {"kanata", {".kanata"}}, {"log", {".log", ".txt"}}, {"vcd", {".vcd"}}};
const std::string kUntimed = "log";  // the kind that contains events, and not only times

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const TraceKind& kind : kTraceKinds) names.push_back(kind.name);
  return names;
}

bool ends_in(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() &&
         text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

/// {kind, file} of "KIND=FILE" or of a file whose name says it. Adds to `problems` and has no kind otherwise.
std::pair<std::string, std::string> read_trace(const std::string& text, std::vector<std::string>& problems) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    for (const TraceKind& kind : kTraceKinds)
      for (const std::string& ending : kind.endings)
        if (ends_in(text, ending)) return {kind.name, text};
    problems.push_back(fmt::format(
        "--trace {}: the file extension does not name a kind of trace; write KIND={} with one of {}", text,
        text, fmt::join(kind_names(), ", ")));
    return {};
  }
  const std::string kind = text.substr(0, equals), file = text.substr(equals + 1);
  const std::vector<std::string> names = kind_names();
  if (std::find(names.begin(), names.end(), kind) == names.end()) {
    problems.push_back(fmt::format("--trace {}: unknown kind '{}'{} (kinds are {})", text, kind,
                                   base::did_you_mean(kind, names), fmt::join(names, ", ")));
    return {};
  }
  if (file.empty()) {
    problems.push_back(fmt::format("--trace {}: the file name is missing", text));
    return {};
  }
  return {kind, file};
}

}  // namespace

Tracer::Tracer(const TraceOptions& options, Context context, const loader::Program& program)
    : context_(std::move(context)) {
  std::vector<std::string> problems;
  context_.program = &program;
  context_.filter =
      Filter(options.filters, {context_.cores, context_.warps}, program, *context_.sources, problems);
  open(options, problems);
  if (!problems.empty()) throw input::UserError(fmt::format("{}", fmt::join(problems, "\n       ")));
  by_time_ = context_.filter.by_time();
  if (!by_time_) start(0);
}

void Tracer::open(const TraceOptions& options, std::vector<std::string>& problems) {
  if (options.traces.empty() && !options.filters.empty())
    problems.emplace_back("--trace-filter needs --trace: it selects what a trace shows");
  std::set<std::string> files;
  for (const std::string& text : options.traces) {
    const auto [kind, path] = read_trace(text, problems);
    if (kind.empty()) continue;
    if (!context_.timed && kind != kUntimed) {
      problems.push_back(fmt::format(
          "--trace {}: needs the cycle mode; the fast mode (run.mode = fast) has no timing and supports only the kind {}",
          text, kUntimed));
      continue;
    }
    if (!files.insert(path).second) {
      problems.push_back(fmt::format("--trace {}: two traces cannot be written to one file", text));
      continue;
    }
    if (!problems.empty()) continue;  // no files when nothing will run
    try {
      std::unique_ptr<Writer> writer;
      if (kind == "perfetto") writer = std::make_unique<PerfettoWriter>(context_, path, options.limit);
      if (kind == "kanata") writer = std::make_unique<KanataWriter>(context_, path, options.limit);
      if (kind == "log")
        writer = std::make_unique<InstructionLog>(context_, path, options.limit, !options.no_cycles);
      if (kind == "vcd") writer = std::make_unique<VcdWriter>(context_, path, options.limit);
      outputs_.push_back({std::move(writer)});
    } catch (const input::UserError& error) {
      problems.emplace_back(error.what());
    }
  }
}

/// Whether what happens in this cycle is shown; switches the writers.
bool Tracer::follow(base::Cycle cycle) {
  if (by_time_) {
    const Filter& filter = context_.filter;
    const bool wanted = filter.accepts_cycle(cycle) || (filter.only_region() && open_markers_ > 0);
    if (wanted != on_) {
      if (wanted) start(std::max(last_ + 1, filter.first_of(cycle)));
      else stop(std::min(cycle, filter.behind(last_)));
    }
  }
  last_ = cycle;
  return on_;
}

void Tracer::start(base::Cycle cycle) {
  on_ = true;
  for (Output& output : outputs_) {
    if (output.done) continue;
    Writer& writer = *output.writer;
    writer.start(cycle);
    for (const auto& [warp, state] : warps_) writer.on_warp_state(cycle, state.origin, state.reason);
    for (const auto& [core, state] : slots_) writer.on_issue_slot(cycle, core, state.origin, state.reason);
    for (const auto& [key, work] : works_)
      writer.on_work_begin(cycle, key.first,
                           {work.kind, key.second, work.origin, work.from, work.to, 0, work.stream});
    for (const auto& [key, run] : kernels_) writer.on_kernel_launch(cycle, key.first, key.second, run);
  }
}

void Tracer::stop(base::Cycle cycle) {
  on_ = false;
  for (Output& output : outputs_)
    if (!output.done) output.writer->stop(cycle);
}

void Tracer::finish(Output& output, base::Cycle cycle, bool full) {
  output.done = true;
  TraceFile& file = output.writer->file();
  std::string reason;
  if (full && file.error() == 0) {
    reason = fmt::format("the file has reached its limit of {} bytes in cycle {} (--trace-limit)",
                         file.limit(), cycle);
    notes_.push_back(fmt::format("trace {} is not complete: {}", input::printable(file.path()), reason));
  }
  if (on_) output.writer->stop(cycle);
  output.writer->finish(cycle, reason);
  file.close();
  if (file.error() != 0)
    failures_.push_back(
        fmt::format("trace {} ends before cycle {}: {}", file.path(), cycle, std::strerror(file.error())));
}

soc::CounterSeries::Row Tracer::read_meters() const {
  soc::CounterSeries::Row row;
  for (const Meter& meter : context_.meters) row.push_back(meter.value());
  return row;
}

void Tracer::sample_with(soc::Sampler& sampler) {
  if (context_.meters.empty()) return;
  sampler.add_counters([this](base::Cycle) { return read_meters(); }, {kSample})
      .listen([this](const soc::CounterSeries::Span& window) {
        if (!on_) return;
        for (Output& output : outputs_)
          if (!output.done) output.writer->sample(window.begin, window.end, window.counts);
      });
}

void Tracer::at_markers(base::Cycle cycle, unsigned begins, unsigned ends) {
  open_markers_ += static_cast<long>(begins) - static_cast<long>(ends);
  follow(cycle);
}

void Tracer::end(base::Cycle cycle) {
  for (Output& output : outputs_)
    if (!output.done) finish(output, cycle, false);
}

void Tracer::on_fetch(base::Cycle cycle, const protocol::Origin& origin) {
  forward(cycle, [&](Writer& writer) { writer.on_fetch(cycle, origin); });
}
void Tracer::on_decode(base::Cycle cycle, const protocol::Origin& origin,
                       const isa::Instruction& instruction) {
  forward(cycle, [&](Writer& writer) { writer.on_decode(cycle, origin, instruction); });
}
void Tracer::on_issue(const protocol::InstructionEvent& event) {
  forward(event.cycle, [&](Writer& writer) { writer.on_issue(event); });
}
void Tracer::on_commit(base::Cycle cycle, const protocol::Origin& origin,
                       const isa::RegisterFile& registers) {
  forward(cycle, [&](Writer& writer) { writer.on_commit(cycle, origin, registers); });
}
void Tracer::on_drop(base::Cycle cycle, const protocol::Origin& origin) {
  forward(cycle, [&](Writer& writer) { writer.on_drop(cycle, origin); });
}
void Tracer::on_barrier_arrival(base::Cycle cycle, const protocol::Origin& origin, unsigned id,
                                unsigned count) {
  forward(cycle, [&](Writer& writer) { writer.on_barrier_arrival(cycle, origin, id, count); });
}
void Tracer::on_barrier_release(base::Cycle cycle, unsigned core, unsigned id) {
  forward(cycle, [&](Writer& writer) { writer.on_barrier_release(cycle, core, id); });
}
void Tracer::on_warp_start(base::Cycle cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                           std::uint32_t pc) {
  forward(cycle, [&](Writer& writer) { writer.on_warp_start(cycle, by, core, warp, pc); });
}
void Tracer::on_warp_end(base::Cycle cycle, const protocol::Origin& origin) {
  forward(cycle, [&](Writer& writer) { writer.on_warp_end(cycle, origin); });
}
void Tracer::on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) {
  forward(cycle, [&](Writer& writer) { writer.on_warp_state(cycle, origin, reason); });
  if (by_time_) warps_[{origin.core, origin.warp}] = {origin, reason};
}
void Tracer::on_issue_slot(base::Cycle cycle, unsigned core, const protocol::Origin& origin,
                           unsigned reason) {
  forward(cycle, [&](Writer& writer) { writer.on_issue_slot(cycle, core, origin, reason); });
  if (by_time_) slots_[core] = {origin, reason};
}
void Tracer::on_command(base::Cycle cycle, unsigned source, const protocol::Origin& origin,
                        std::uint32_t word) {
  forward(cycle, [&](Writer& writer) { writer.on_command(cycle, source, origin, word); });
}
void Tracer::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  forward(cycle, [&](Writer& writer) { writer.on_work_begin(cycle, source, work); });
  if (by_time_)
    works_.insert_or_assign({source, work.id}, Work{work.origin, work.kind, work.from, work.to, work.stream});
}
void Tracer::on_work_end(base::Cycle cycle, unsigned source, std::uint32_t id) {
  forward(cycle, [&](Writer& writer) { writer.on_work_end(cycle, source, id); });
  if (by_time_) works_.erase({source, id});
}
void Tracer::on_kernel_launch(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                              const protocol::KernelRun& run) {
  forward(cycle, [&](Writer& writer) { writer.on_kernel_launch(cycle, source, kernel, run); });
  if (by_time_) kernels_.insert_or_assign({source, kernel}, run);
}
void Tracer::on_kernel_end(base::Cycle cycle, unsigned source, std::uint32_t kernel,
                           const protocol::KernelRun& run) {
  forward(cycle, [&](Writer& writer) { writer.on_kernel_end(cycle, source, kernel, run); });
  if (by_time_) kernels_.erase({source, kernel});
}

}  // namespace spica::trace
