// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "models/cache/bank.h"
#include "models/cache/cache_stats.h"
#include "models/cache/prefetcher.h"

namespace spica::cache {

/// The prefetcher of a cache, with its counters, which exist only if there is a prefetcher.
class Prefetching {
 public:
  /// nullptr: there is no prefetcher. Adds the counters to those of the cache.
  static std::unique_ptr<Prefetching> make(const Params& params, Stats& stats);

  Prefetcher& prefetcher() { return *prefetcher_; }
  /// A step() of the bank; `request`: what took effect in it, or nullptr. Gives each line to fetch to `want`, which
  /// returns false if there is no place for it. A slice keeps to its own lines.
  template <class Want>
  void after(const Bank& bank, const Request* request, Want&& want) {
    count(bank.prefetches().found());
    if (request == nullptr) return;
    for (const base::Address line : wishes_after(bank, *request))
      if (!shares_slice(request->line, line) || !want(line)) ++dropped_;
  }

 private:
  Prefetching(std::unique_ptr<Prefetcher> prefetcher, const Params& params, Stats& stats);
  void count(Prefetches::Found found);
  bool shares_slice(base::Address a, base::Address b) const {
    return slices_ == nullptr || slices_->slice(a << line_shift_) == slices_->slice(b << line_shift_);
  }
  const std::vector<base::Address>& wishes_after(const Bank& bank, const Request& request);

  const std::unique_ptr<Prefetcher> prefetcher_;
  const std::shared_ptr<const protocol::SliceMap> slices_;  // nullptr: the cache is not a slice
  const unsigned line_shift_;  // from bytes to lines
  const unsigned page_shift_;  // from lines to pages
  base::Counter &lookups_, &prefetches_, &used_, &dropped_;
  std::vector<base::Address> wishes_;
};

}  // namespace spica::cache
