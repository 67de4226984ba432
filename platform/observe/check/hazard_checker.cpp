// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/hazard_checker.h"

#include "platform/machine/loader/kernels.h"

namespace spica::check {

HazardChecker::HazardChecker(const soc::SocParams& params, const protocol::AddressMap& map,
                             const loader::Program& program, UnitOfSource unit_of_source,
                             const protocol::UnitRules& unit_rules, const protocol::QueueRules& queue_rules)
    : shape_(params),
      unit_of_source_(std::move(unit_of_source)),
      buffers_(program),
      order_({shape_.clusters * shape_.cores_of_cluster, static_cast<unsigned>(params.cluster.core.warps),
              shape_.units(), params.cluster.tensor_core.is_decoupled(), params.cluster.core.async_copy},
             shape_.cores_of_cluster, params.cluster.core.barrier_waits_for_memory),
      kernels_(static_cast<unsigned>(params.command_processor.queues), order_.agents().count()),
      precedence_(order_, kernels_),
      sites_(shape_.units(), unit_rules),
      conflicts_(precedence_, sites_, moment_, findings_),
      memory_(params, map, program, order_, precedence_, sites_, conflicts_),
      units_(params, order_, sites_, memory_, conflicts_, buffers_, moment_, findings_),
      queues_(params, map, order_, kernels_, memory_, queue_rules),
      warps_(params, map, program, order_, memory_, units_, queues_, moment_, findings_) {
  find_language(program);
}

/// Kernels of OpenCL have a head in front of their arguments.
void HazardChecker::find_language(const loader::Program& program) {
  if (program.symbols.empty()) return;
  for (const loader::Kernel& kernel : loader::kernels_of(program).all)
    if (kernel.head_bytes != 0) conflicts_.use_opencl_words();
}

void HazardChecker::on_warp_start(base::Cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                                  std::uint32_t) {
  const unsigned child = order_.agents().warp(core, warp);
  warps_.start(child);
  if (by.unit == protocol::Origin::Unit::kCore) order_.spawn(order_.agents().warp(by.core, by.warp), child);
  else if (const Knowledge* behind = kernels_.behind(child)) order_.acquire(child, *behind);
}

void HazardChecker::on_warp_end(base::Cycle, const protocol::Origin& origin) {
  const unsigned warp = order_.agents().warp(origin.core, origin.warp);
  warps_.end(warp);
  kernels_.leave(warp, order_.left(warp));
}

/// Its warps, its part of shared memory and its barriers were another one's, which has ended, as its matrix units and
/// what is in their accumulators.
void HazardChecker::on_group_start(base::Cycle, unsigned, const protocol::WorkGroupStart& group) {
  memory_.forget_shared(group.cluster, group.shared_base, group.shared_bytes);
  for (unsigned id = group.first_barrier; id < group.first_barrier + group.barriers; ++id)
    order_.restart_barrier(group.cluster, id);
  const Agents& agents = order_.agents();
  for (const auto& place : group.warps) {
    const unsigned warp = agents.warp(place.core, place.warp);
    warps_.forget_loads(warp);
    queues_.give(warp, group.grid);
    if (agents.tensor_tiles()) queues_.give(agents.tensor(warp), group.grid);
    if (agents.has_copies()) queues_.give(agents.copies(warp), group.grid);
  }
  if (!group.matrix_unit) return;
  for (unsigned i = 0; i < shape_.units_of_cluster; ++i) {
    const unsigned unit = group.cluster * shape_.units_of_cluster + i;
    for (const Engine engine : {Engine::kLoad, Engine::kExecute, Engine::kStore})
      queues_.give(agents.engine(unit, engine), group.grid);
    memory_.forget_accumulator(unit);
    units_.forget_driver(unit);
  }
}

void HazardChecker::on_command(base::Cycle, unsigned source, const protocol::Origin& origin,
                               std::uint32_t word) {
  if (const unsigned unit = unit_of_source_(source); unit != protocol::Region::kNoUnit)
    units_.take(unit, origin, word);
}

void HazardChecker::on_work_begin(base::Cycle cycle, unsigned source, const protocol::UnitWork& work) {
  if (const unsigned unit = unit_of_source_(source); unit != protocol::Region::kNoUnit)
    units_.begin(cycle, unit, work);
}

void HazardChecker::on_work_end(base::Cycle, unsigned source, std::uint32_t id) {
  if (const unsigned unit = unit_of_source_(source); unit != protocol::Region::kNoUnit) units_.end(unit, id);
}

}  // namespace spica::check
