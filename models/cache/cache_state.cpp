// SPDX-License-Identifier: Apache-2.0
// The complete state, for reset, reports and debuggers.
#include <ostream>

#include "models/cache/cache.h"
#include "models/cache/past_tags.h"
#include "models/protocol/payload/past_access.h"
#include "models/protocol/transport/foreign_call.h"

namespace spica::cache {

using protocol::Payload;

void Cache::reset() {
  for (BankPort& place : banks_) {
    place.bank.clear();
    place.held.clear();
  }
  responses_.clear();
  memory_.clear();
  for (auto& socket : in) socket.reset();
  out.reset();
  data_.clear();
  if (prefetching_ != nullptr) prefetching_->prefetcher().clear();
  inside_ = 0;
  blocked_ = freed_ = 0;
  calendar_.clear();
  early_hits_.settle(activity_, Stats::kServing, now());
  early_hits_.clear();
  stats_.activity.charge(Stats::kIdle, now());
}

bool Cache::idle() const { return inside_ == 0 && memory_.empty() && memory_.idle(); }

void Cache::dump_state(std::ostream& os) const {
  for (unsigned i = 0; i < banks_.size(); ++i) {
    const BankPort& place = banks_[i];
    if (place.bank.idle() && responses_.empty(i)) continue;
    os << name() << " bank " << i << ": " << place.bank.queued() << " queued, " << place.held.size()
       << " held at the ports, " << place.bank.mshrs().lines() << " lines outstanding for "
       << place.bank.mshrs().waiting() << " requests, " << place.bank.replaying() << " to replay, "
       << memory_.free_ids(i) << " free memory ids\n";
  }
  if (!out.ready()) os << name() << ": memory side holds a request\n";
}

/// A write that is timing_only makes its line present, as if it had been there. A past access takes its effect on tags.
unsigned Cache::on_debug(unsigned, Payload& payload) {
  const auto tags_of = [this](base::Address line) -> TagArray& {
    return banks_[static_cast<unsigned>(line) & bank_mask_].bank.tags();
  };
  if (payload.get_extension<protocol::PastAccess>() != nullptr)
    return PastTags(params_, out).access(payload, tags_of);
  const auto* const info = payload.get_extension<protocol::RequestInfo>();
  if (payload.is_write() && info != nullptr && info->timing_only) {
    const std::uint64_t address = payload.get_address();
    tags_of(map_.line(address))
        .install(map_.line(address), static_cast<Sectors>((1u << params_.sectors) - 1));
    return payload.get_data_length();
  }
  return protocol::call_foreign(out, [&] { return out->transport_dbg(payload); });
}

bool Cache::on_direct_memory(unsigned, Payload& payload, tlm::tlm_dmi& dmi) {
  return out->get_direct_mem_ptr(payload, dmi);
}

}  // namespace spica::cache
