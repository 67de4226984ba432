// SPDX-License-Identifier: Apache-2.0
// The kinds of cores and tensor cores.
#include <utility>

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

using assembly::Factory;
using assembly::Kind;
using assembly::make_with;
using assembly::Site;

Factory make_core() {
  return [](const Site& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    const auto* const style = tensor_core::parts_of(core.params.tensor_style);
    return std::make_unique<simt_core::SimtCore>(site.name, core.params, core.identity, site.machine.map,
                                                 site.clock, style != nullptr ? style->unit : nullptr);
  };
}

Factory make_fast_core() {
  return [](const Site& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    const auto* const style = tensor_core::parts_of(core.params.tensor_style);
    return std::make_unique<simt_core::fast::FastCore>(site.name, core.params, core.identity,
                                                       site.machine.map, *site.machine.time,
                                                       style != nullptr ? style->fast_unit : nullptr);
  };
}

Factory make_hart() {
  return [](const Site& site) {
    return std::make_unique<simt_core::fast::Hart>(
        site.name, std::any_cast<const simt_core::fast::HartParams&>(site.params), site.machine.map);
  };
}

}  // namespace

void add_core_kinds(assembly::Kinds& kinds) {
  Kind simt_core{"simt_core", "a SIMT core", make_core(), make_fast_core()};
  simt_core.cycle_only = {"icache", "lanes", "hints", "load_reuse"};
  const auto styles = tensor_core::all_parts();
  for (const auto* style : styles) simt_core.cycle_only.push_back(style->back_to);
  kinds.add(std::move(simt_core));
  for (const auto* style : styles) kinds.add(style->block);
  Kind mma_offload{"mma_offload",
                   "turns some multiply-adds of warp matrices into instructions for the floating-point lanes",
                   make_with<mma_offload::MmaOffload, mma_offload::OffloadParams>()};
  mma_offload.wire = "out";
  kinds.add(std::move(mma_offload));
  kinds.add({"load_reuse", "lets the warps of a core share loads of fragments",
             make_with<load_reuse::LoadReuse, load_reuse::LoadReuseParams>()});
  kinds.add({"hart", "runs the firmware of the command processor", make_hart(), make_hart()});
}

}  // namespace spica::cluster
