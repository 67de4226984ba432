// SPDX-License-Identifier: Apache-2.0
#include "platform/run/trace_context.h"

#include <map>
#include <utility>

#include "models/protocol/payload/issue_reason.h"
#include "models/protocol/ports/commanded_if.h"
#include "platform/machine/session/streams.h"
#include "platform/machine/soc/key_of.h"
#include "platform/machine/soc/measured_machine.h"

namespace spica::job {

namespace {

/// What any machine knows.
trace::Context context_of(const soc::Machine& machine, const loader::SourceMap& sources) {
  trace::Context context;
  context.sources = &sources;
  const soc::SocParams& params = machine.params();
  context.clock_mhz = params.core_mhz();
  context.cores = machine.core_count();
  context.cores_per_cluster = static_cast<unsigned>(params.cluster.cores);
  context.warps = static_cast<unsigned>(params.cluster.core.warps);
  context.lanes = static_cast<unsigned>(params.cluster.core.lanes);
  context.operand_latency = static_cast<unsigned>(params.cluster.core.operand_latency);
  if (params.command_processor.present) {
    context.queues = static_cast<unsigned>(params.command_processor.queues);
    context.queues_block = key_of(params, params.command_processor);
  }
  context.source_name = [&machine](unsigned source) { return machine.source_name(source); };
  return context;
}

/// What the blocks say that traces show, summed over the blocks of a type.
void add_meters(const soc::MeasuredMachine& soc, trace::Context& context) {
  std::map<const base::MeterKind*, std::vector<const base::Counter*>> counters;
  std::vector<const base::MeterKind*> order;
  for (base::Component* component : soc.components())
    for (const base::MeterKind& meter : component->type().meters)
      for (const base::StatGroup::Entry& entry : component->stats().counters()) {
        if (!base::matches(meter.counters, entry.name)) continue;
        std::vector<const base::Counter*>& found = counters[&meter];
        if (found.empty()) order.push_back(&meter);
        found.push_back(&entry.counter);
      }
  for (const base::MeterKind* meter : order)
    context.meters.push_back({std::string(meter->name), std::string(meter->unit), [found = counters[meter]] {
                                std::uint64_t sum = 0;
                                for (const base::Counter* counter : found) sum += counter->value();
                                return sum;
                              }});
}

}  // namespace

std::function<trace::KernelText(const protocol::KernelRun&)> kernel_texts(const session::StreamPlan& plan) {
  return [names = plan.names, launches = plan.launches](const protocol::KernelRun& run) {
    trace::KernelText text;
    if (run.queue >= names.size()) return text;
    text.stream = names[run.queue];
    const auto& steps = launches[run.queue];
    if (run.packet >= steps.size() || steps[run.packet].kernels.empty()) return text;
    const session::StreamPlan::Launch& launch = steps[run.packet];
    const session::StreamPlan::Launch::Kernel& kernel = launch.of(run);
    text.name = launch.label.empty() ? kernel.name : launch.label;
    text.kernel = kernel.name;
    text.grid = kernel.grid;
    text.arguments = launch.arguments;
    return text;
  };
}

trace::Context trace_context(soc::Machine& soc, const loader::SourceMap& sources) {
  trace::Context context = context_of(soc, sources);
  context.timed = false;
  return context;
}

trace::Context trace_context(soc::MeasuredMachine& soc, const loader::SourceMap& sources) {
  trace::Context context = context_of(soc.machine(), sources);
  std::map<unsigned, const protocol::CommandedIf*> units;  // by source
  for (unsigned i = 0; i < soc.components().size(); ++i)
    if (const auto* unit = dynamic_cast<const protocol::CommandedIf*>(soc.components()[i])) {
      units[i] = unit;
      context.units.push_back(i);
    }
  context.command_name = [units = std::move(units)](unsigned source, std::uint32_t word, bool cisc) {
    return units.at(source)->command_name(word, cisc);
  };
  for (const std::string_view name : protocol::warp_state_names()) context.reasons.emplace_back(name);
  add_meters(soc, context);
  return context;
}

}  // namespace spica::job
