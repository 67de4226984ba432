// SPDX-License-Identifier: Apache-2.0
#include "models/base/checkpoint.h"
#include "models/coalescer/coalescer.h"

namespace spica::coalescer {

void Coalescer::objects(base::Checkpoint& checkpoint) { pool_.add_to(checkpoint); }

bool Coalescer::timing(base::Checkpoint& checkpoint) {
  using Change = std::uint64_t(std::uint64_t, const base::Objects&);
  const auto change_tags = [&](Change* change) {
    pool_.for_each(
        [&](protocol::LinePayload& item) { item.info.tag = change(item.info.tag, checkpoint.objects()); });
  };
  if (!checkpoint.loads()) change_tags(AccessTable::numbered);
  checkpoint(pool_);
  change_tags(AccessTable::addressed);
  checkpoint.each(out);
  checkpoint(in, queue_, entries_, accepted_, done_, open_, head_, blocked_, accesses_, free_,
             own_reservations_, stats_);
  lanes_.serialize(checkpoint, head_ != AccessTable::kNone ? accesses_[head_].payload : nullptr);
  return true;
}

}  // namespace spica::coalescer
