// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/dma/dma.h"

namespace spica::dma {

void Dma::objects(base::Checkpoint& checkpoint) { requests_.add_to(checkpoint); }

bool Dma::timing(base::Checkpoint& checkpoint) {
  checkpoint(in, gmem, smem, accumulator, requests_, engines_, store_turn_, accumulator_turn_, shared_loads_,
             global_, shaper_, stats_);
  return true;
}

}  // namespace spica::dma
