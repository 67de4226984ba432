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
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/fast_tensor_core.h"
#include "models/tensor_core/tensor_core.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

namespace spica::cluster {

namespace {

using assembly::Factory;
using assembly::Kind;
using assembly::make_with;
using assembly::Site;

Factory make_core() {
  return [](const Site& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    return std::make_unique<simt_core::SimtCore>(site.name, core.params, core.identity, site.machine.map,
                                                 site.clock);
  };
}

Factory make_fast_core() {
  return [](const Site& site) {
    const auto& core = std::any_cast<const CoreParams&>(site.params);
    return std::make_unique<simt_core::fast::FastCore>(site.name, core.params, core.identity,
                                                       site.machine.map, *site.machine.time);
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
  simt_core.cycle_only = {"icache",      "tensor_result", "tensor_registers",
                          "lane_stream", "drain",         "load_reuse"};
  kinds.add(std::move(simt_core));
  Kind tensor_core{"tensor_core", "a tensor core on operands from registers",
                   make_with<tensor_core::TensorCore, tensor_core::TensorCoreParams>(),
                   make_bare<tensor_core::FastTensorCore, tensor_core::TensorCoreParams>()};
  tensor_core.cycle_only = {"result"};
  kinds.add(std::move(tensor_core));
  Kind decoupled_tensor_core{"decoupled_tensor_core", "a tensor core on operands from shared memory",
                             make_with<tensor_core::DecoupledTensorCore, tensor_core::TensorCoreParams>(),
                             make_bare<tensor_core::FastTensorCore, tensor_core::TensorCoreParams>()};
  decoupled_tensor_core.cycle_only = {"registers", "smem_a", "smem_b"};
  kinds.add(std::move(decoupled_tensor_core));
  kinds.add({"warp_tensor_core", "a tensor core on fragments in registers of 32 lanes",
             make_with<tensor_core::warp_mma::WarpTensorCore, tensor_core::TensorCoreParams>(),
             make_bare<tensor_core::warp_mma::FastWarpTensorCore, tensor_core::TensorCoreParams>()});
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
