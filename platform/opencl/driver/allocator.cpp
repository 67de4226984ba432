// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/allocator.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>

namespace spica::opencl {

Allocator::Allocator(std::uint64_t base, std::uint64_t bytes) {
  const std::uint64_t begin = (base + kAlignment - 1) / kAlignment * kAlignment;
  const std::uint64_t end = (base + bytes) / kAlignment * kAlignment;
  if (begin < end) free_[begin] = end - begin;
}

std::optional<std::uint64_t> Allocator::allocate(std::uint64_t bytes) {
  if (bytes > std::numeric_limits<std::uint64_t>::max() - kAlignment) return std::nullopt;
  const std::uint64_t size = std::max<std::uint64_t>(1, (bytes + kAlignment - 1) / kAlignment) * kAlignment;
  auto best = free_.end();
  for (auto range = free_.begin(); range != free_.end(); ++range)
    if (range->second >= size && (best == free_.end() || range->second < best->second)) best = range;
  if (best == free_.end()) return std::nullopt;
  const auto [address, available] = *best;
  free_.erase(best);
  if (available != size) free_[address + size] = available - size;
  used_[address] = size;
  return address;
}

void Allocator::release(std::uint64_t address) {
  const auto used = used_.find(address);
  assert(used != used_.end());
  auto range = free_.emplace(*used).first;
  used_.erase(used);
  if (const auto next = std::next(range);
      next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  if (const auto before = std::prev(range); before->first + before->second == range->first) {
    before->second += range->second;
    free_.erase(range);
  }
}

std::uint64_t Allocator::free_bytes() const {
  std::uint64_t sum = 0;
  for (const auto& range : free_) sum += range.second;
  return sum;
}

std::uint64_t Allocator::largest_free_bytes() const {
  std::uint64_t largest = 0;
  for (const auto& range : free_) largest = std::max(largest, range.second);
  return largest;
}

}  // namespace spica::opencl
