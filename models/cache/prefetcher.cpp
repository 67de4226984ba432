// SPDX-License-Identifier: Apache-2.0
#include "models/cache/prefetcher.h"

namespace spica::cache {

namespace {

/// Prefetches the line after each missed line, and after each prefetched line at its first use.
class NextLine final : public Prefetcher {
 public:
  void used(const Use& use, std::vector<base::Address>& wishes) override {
    if (!use.write && (use.miss || use.prefetched)) wishes.push_back(use.line + 1);
  }
};

}  // namespace

std::unique_ptr<Prefetcher> make_prefetcher(Prefetch kind) {
  if (kind == Prefetch::kNextLine) return std::make_unique<NextLine>();
  return nullptr;
}

}  // namespace spica::cache
