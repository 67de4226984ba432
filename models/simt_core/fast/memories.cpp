// SPDX-License-Identifier: Apache-2.0
#include "models/simt_core/fast/memories.h"

#include <algorithm>

namespace spica::simt_core::fast {

namespace {

Window window_of(const protocol::PointedMemory& memory, std::uint64_t end, std::uint64_t row) {
  const std::uint64_t bytes = std::min(memory.base + memory.size, end) - memory.base;
  if (bytes < row) return {};
  return {static_cast<std::uint32_t>(memory.base), static_cast<std::uint32_t>(bytes - row + 1),
          static_cast<std::uint32_t>(bytes - 3), memory.data};
}

}  // namespace

void Memories::connect(const protocol::MemoryPort& global, const protocol::PointedMemory& shared,
                       const protocol::AddressMap& map, std::uint32_t row) {
  port_ = &global;
  global_ = *global;
  shared_ = shared;
  // Up to the first region that shadows it.
  std::uint64_t end = global_.base + global_.size;
  for (const protocol::Region& region : map.regions())
    if (region.route != protocol::Route::kGlobal && region.base >= global_.base)
      end = std::min(end, region.base);
  global_window_ = window_of(global_, end, row);
  shared_window_ = window_of(shared_, shared_.base + shared_.size, row);
}

void Memories::open_windows(Slice& slice) const {
  const bool direct = !port_->recorded();
  slice.global = direct ? global_window_ : Window{};
  slice.shared = shared_window_;
  slice.global_store = direct && global_.reservations->size() == 0 ? global_window_ : Window{};
  slice.shared_store = shared_.reservations->size() == 0 ? shared_window_ : Window{};
}

}  // namespace spica::simt_core::fast
