// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/cache/cache.h"

namespace spica::cache {

void Cache::objects(base::Checkpoint& checkpoint) { memory_.add_to(checkpoint); }

bool Cache::timing(base::Checkpoint& checkpoint) {
  checkpoint.each(in);
  checkpoint(out, memory_, early_hits_);
  checkpoint.each(banks_);
  checkpoint(data_, inside_, blocked_, freed_, responses_, calendar_, stats_);
  if (prefetching_ != nullptr) prefetching_->prefetcher().timing(checkpoint);
  return true;
}

}  // namespace spica::cache
