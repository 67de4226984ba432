// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/tensor_core/decoupled_tensor_core.h"
#include "models/tensor_core/tensor_core.h"
#include "models/tensor_core/warp_mma/warp_tensor_core.h"

namespace spica::tensor_core {

bool TensorCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(micro_ops_, pairs_, stood_still_, inside_, uncomputed_, operands_, pair_left_, turn_, stats_);
  return true;
}

void DecoupledTensorCore::objects(base::Checkpoint& checkpoint) { pool_.add_to(checkpoint); }

bool DecoupledTensorCore::timing(base::Checkpoint& checkpoint) {
  checkpoint(smem_a, smem_b, pool_, front_end_, asked_[kA], asked_[kB], streams_[kA], streams_[kB],
             accumulators_, begun_, reading_, computing_, writing_, reads_, port_taken_, reader_free_,
             pipeline_, stood_still_, inside_, stats_);
  return true;
}

namespace warp_mma {

/// Where fragments lie in memory: loads and stores under way in the core point at it.
void WarpTensorCore::objects(base::Checkpoint& checkpoint) {
  using protocol::FragmentMatrix;
  for (unsigned form = 0; form < isa::kMmaFormCount; ++form)
    for (const FragmentMatrix matrix : {FragmentMatrix::kA, FragmentMatrix::kB, FragmentMatrix::kC})
      for (const bool column_major : {false, true})
        checkpoint.objects().add(
            const_cast<protocol::FragmentAccess*>(&semantics_.access(form, matrix, column_major)));
}

bool WarpTensorCore::timing(base::Checkpoint& checkpoint) {
  for (Warp& warp : warps_) {
    std::ptrdiff_t form = warp.form != nullptr ? warp.form - forms_.data() : -1;
    checkpoint(form, warp.step, warp.counted, warp.c, warp.d, warp.begun, warp.first, warp.last,
               warp.issued_any, warp.result);
    warp.form = form >= 0 ? &forms_[static_cast<std::size_t>(form)] : nullptr;
  }
  checkpoint(begun_, free_, computing_, user_, stats_);
  return true;
}

}  // namespace warp_mma

}  // namespace spica::tensor_core
