// SPDX-License-Identifier: Apache-2.0
#include "platform/job/trace_context.h"

#include <map>
#include <utility>

#include "models/matrix_unit/command_names.h"
#include "models/matrix_unit/matrix_unit.h"
#include "models/simt_core/stall_reason.h"
#include "platform/soc/fast_soc.h"
#include "platform/soc/soc.h"

namespace spica::job {

namespace {

/// What any machine knows.
trace::Context context_of(const soc::Machine& machine, const loader::SourceMap& sources) {
  trace::Context context;
  context.sources = &sources;
  const soc::SocParams& params = machine.params();
  context.clock_mhz = params.clock_mhz;
  context.cores = machine.core_count();
  context.cores_per_cluster = static_cast<unsigned>(params.cluster.cores);
  context.warps = static_cast<unsigned>(params.cluster.core.warps);
  context.lanes = static_cast<unsigned>(params.cluster.core.lanes);
  context.operand_latency = static_cast<unsigned>(params.cluster.core.operand_latency);
  context.source_name = [&machine](unsigned source) { return machine.source_name(source); };
  return context;
}

}  // namespace

trace::Context trace_context(soc::FastSoc& soc, const loader::SourceMap& sources) {
  trace::Context context = context_of(soc, sources);
  context.timed = false;
  return context;
}

trace::Context trace_context(soc::Soc& soc, const loader::SourceMap& sources) {
  trace::Context context = context_of(soc, sources);
  std::map<unsigned, matrix_unit::CommandSet> sets;  // by source
  const auto& units = soc.params().cluster.matrix_units;
  for (unsigned i = 0; i < soc.components().size(); ++i)
    if (dynamic_cast<matrix_unit::MatrixUnit*>(soc.components()[i]) != nullptr) {
      sets[i] = units[context.units.size() % units.size()].command_set;
      context.units.push_back(i);
    }
  context.command_name = [sets = std::move(sets)](unsigned source, std::uint32_t word, bool cisc) {
    return cisc ? matrix_unit::cisc_name(sets.at(source), word) : matrix_unit::rocc_name(word);
  };
  for (const std::string_view name : simt_core::issue_reason_names()) context.reasons.emplace_back(name);
  // Counters of memory, summed over the blocks that have them.
  const auto meter = [&](const std::string& name, const std::string& unit, const std::string& block,
                         const std::vector<std::string>& counters) {
    std::vector<const base::Counter*> found;
    for (base::Component* component : soc.components()) {
      if (soc.short_name(*component).find(block) == std::string::npos) continue;
      for (const base::StatGroup::Entry& entry : component->stats().counters())
        for (const std::string& counter : counters)
          if (entry.name == counter) found.push_back(&entry.counter);
    }
    if (found.empty()) return;
    context.meters.push_back({name, unit, [found] {
                                std::uint64_t sum = 0;
                                for (const base::Counter* counter : found) sum += counter->value();
                                return sum;
                              }});
  };
  meter("DRAM reads", "requests", "main_memory", {"reads"});
  meter("DRAM writes", "requests", "main_memory", {"writes"});
  meter("DMA loads", "bytes", "dma", {"bytes_a", "bytes_b", "bytes_d"});
  meter("DMA stores", "bytes", "dma", {"bytes_stored_global", "bytes_stored_shared"});
  return context;
}

}  // namespace spica::job
