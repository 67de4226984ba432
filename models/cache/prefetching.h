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
  /// returns false if there is no place for it.
  template <class Want>
  void after(const Bank& bank, const Request* request, Want&& want) {
    count(bank.prefetches().found());
    if (request == nullptr) return;
    for (const base::Address line : wishes_after(bank, *request))
      if (!want(line)) ++dropped_;
  }

 private:
  Prefetching(std::unique_ptr<Prefetcher> prefetcher, unsigned page_shift, Stats& stats);
  void count(Prefetches::Found found);
  const std::vector<base::Address>& wishes_after(const Bank& bank, const Request& request);

  const std::unique_ptr<Prefetcher> prefetcher_;
  const unsigned page_shift_;  // from lines to pages
  base::Counter &lookups_, &prefetches_, &used_, &dropped_;
  std::vector<base::Address> wishes_;
};

}  // namespace spica::cache
