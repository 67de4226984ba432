// SPDX-License-Identifier: Apache-2.0
// The kinds of cores and tensor cores.
#include <string>
#include <utility>
#include <vector>

#include "models/assembly/kinds.h"
#include "models/cluster/kinds.h"
#include "models/cluster/kinds_parts.h"
#include "models/load_reuse/load_reuse.h"
#include "models/mma_offload/mma_offload.h"
#include "models/simt_core/fast/fast_core.h"
#include "models/simt_core/fast/hart.h"
#include "models/simt_core/simt_core.h"
#include "models/tensor_core/styles.h"

namespace spica::cluster {

namespace {

using assembly::BuildSite;
using assembly::Factory;
using assembly::Kind;
using assembly::make_with;

Factory make_core() {
  return [](const BuildSite& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    const auto* const style = tensor_core::parts_of(core.params.tensor_style);
    return std::make_unique<simt_core::SimtCore>(site.name, core.params, core.identity, site.machine.map,
                                                 site.clock, style != nullptr ? style->unit : nullptr);
  };
}

Factory make_fast_core() {
  return [](const BuildSite& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    const auto* const style = tensor_core::parts_of(core.params.tensor_style);
    return std::make_unique<simt_core::fast::FastCore>(site.name, core.params, core.identity,
                                                       site.machine.map, *site.machine.time,
                                                       style != nullptr ? style->fast_unit : nullptr);
  };
}

Factory make_hart() {
  return [](const BuildSite& site) {
    return std::make_unique<simt_core::fast::Hart>(
        site.name, std::any_cast<const simt_core::fast::HartParams&>(site.params), site.machine.map);
  };
}

}  // namespace

void add_core_kinds(assembly::Kinds& kinds) {
  const auto styles = tensor_core::all_parts();
  std::vector<std::string> cycle_only{"icache", "lanes", "hints", "load_reuse"};
  for (const auto* style : styles) cycle_only.push_back(style->back_to);
  kinds.add(Kind{"simt_core", "a SIMT core"}
                .with_cycle(make_core())
                .with_fast(make_fast_core())
                .with_cycle_only(std::move(cycle_only)));
  for (const auto* style : styles) kinds.add(style->block);
  kinds.add(Kind{"mma_offload",
                 "turns some multiply-adds of warp matrices into instructions for the floating-point lanes"}
                .with_cycle(make_with<mma_offload::MmaOffload, mma_offload::OffloadParams>())
                .with_wire("out"));
  kinds.add(Kind{"load_reuse", "lets the warps of a core share loads of fragments"}.with_cycle(
      make_with<load_reuse::LoadReuse, load_reuse::LoadReuseParams>()));
  kinds.add(Kind{"hart", "runs the firmware of the command processor"}.with_both(make_hart()));
}

}  // namespace spica::cluster
