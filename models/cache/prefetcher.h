// SPDX-License-Identifier: Apache-2.0
// Which lines a cache fetches before anybody asks for them. A prefetcher is here and in prefetcher.cpp alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/base/params.h"
#include "models/base/types.h"

namespace spica::base {
class Checkpoint;
}

namespace spica::cache {

enum class Prefetch : std::uint8_t { kOff, kNextLine };
inline constexpr base::Choices kPrefetchers{base::Choice<Prefetch>{"off", Prefetch::kOff},
                                            base::Choice<Prefetch>{"next_line", Prefetch::kNextLine}};

/// A request that a cache has served, as its prefetcher sees it.
struct Use {
  base::Address line = 0;  // address / line size
  bool write = false;
  bool miss = false;  // not all of it was there
  bool prefetched = false;  // the first one of a line that a prefetch has brought, or is bringing
};

/// The prefetcher of one cache. It sees all requests of the cache in the order in which they are served.
class Prefetcher {
 public:
  virtual ~Prefetcher() = default;
  /// Adds the lines to fetch after `use` to `wishes`. The cache ignores those in another page of 4 KB or of another slice.
  virtual void used(const Use& use, std::vector<base::Address>& wishes) = 0;
  virtual void clear() {}
  /// Saves or loads the prefetcher's state.
  virtual void timing(base::Checkpoint&) {}
};

/// nullptr: there is none.
std::unique_ptr<Prefetcher> make_prefetcher(Prefetch kind);

}  // namespace spica::cache
