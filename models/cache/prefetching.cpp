// SPDX-License-Identifier: Apache-2.0
#include "models/cache/prefetching.h"

#include <algorithm>

namespace spica::cache {

namespace {
/// Memories are aligned to this size, so a prefetch never crosses their end.
constexpr unsigned kPageShift = 12;
}  // namespace

std::unique_ptr<Prefetching> Prefetching::make(const Params& params, Stats& stats) {
  std::unique_ptr<Prefetcher> prefetcher = make_prefetcher(params.prefetcher);
  if (prefetcher == nullptr) return nullptr;
  return std::unique_ptr<Prefetching>(new Prefetching(std::move(prefetcher), params, stats));
}

Prefetching::Prefetching(std::unique_ptr<Prefetcher> prefetcher, const Params& params, Stats& stats)
    : prefetcher_(std::move(prefetcher)),
      slices_(params.slice_map),
      line_shift_(LineMap(params.line_bytes, params.sectors).line_shift()),
      page_shift_(kPageShift - line_shift_),
      lookups_(
          stats.counter("prefetch_lookups", base::Unit::kCount, "lines to prefetch that a bank looked for")),
      prefetches_(stats.counter("prefetches", base::Unit::kCount,
                                "lines asked of memory before anybody needed them")),
      used_(stats.counter("prefetches_used", base::Unit::kCount,
                          "prefetched lines that a request then used, or waited for")),
      dropped_(
          stats.counter("prefetches_dropped", base::Unit::kCount,
                        "lines to prefetch for which there was no room, or which are of another slice")) {}

void Prefetching::count(Prefetches::Found found) {
  if (found == Prefetches::kNothing) return;
  ++lookups_;
  if (found == Prefetches::kFetched) ++prefetches_;
  if (found == Prefetches::kDropped) ++dropped_;
}

const std::vector<base::Address>& Prefetching::wishes_after(const Bank& bank, const Request& request) {
  const bool hit = bank.outcome() == Outcome::kReadHit || bank.outcome() == Outcome::kWriteHit;
  if (bank.prefetches().first_use()) ++used_;
  wishes_.clear();
  prefetcher_->used({request.line, request.write, !hit, bank.prefetches().first_use()}, wishes_);
  const base::Address page = request.line >> page_shift_;
  const auto outside = [&](base::Address line) { return line >> page_shift_ != page; };
  wishes_.erase(std::remove_if(wishes_.begin(), wishes_.end(), outside), wishes_.end());
  return wishes_;
}

}  // namespace spica::cache
