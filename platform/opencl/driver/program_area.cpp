// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/program_area.h"

#include <utility>

namespace spica::opencl {

std::optional<std::uint32_t> ProgramArea::reserve(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> held(mutex_);
  const std::uint64_t room = (bytes + kSlot - 1) / kSlot * kSlot;
  auto base = ranges_.allocate(room);
  if (!base) {
    free_ranges();
    base = ranges_.allocate(room);
  }
  if (!base) return std::nullopt;
  return static_cast<std::uint32_t>(*base);
}

void ProgramArea::release(std::uint32_t base, std::uint64_t serial, bool has_run) {
  const std::lock_guard<std::mutex> held(mutex_);
  if (!has_run || !keeps_programs_) left_.push_back(base);
  if (has_run) released_.push_back(serial);
}

void ProgramArea::reuse_released() {
  const std::lock_guard<std::mutex> held(mutex_);
  free_ranges();
}

void ProgramArea::free_ranges() {
  for (const std::uint32_t base : left_) ranges_.release(base);
  left_.clear();
}

std::vector<std::uint64_t> ProgramArea::take_released() {
  const std::lock_guard<std::mutex> held(mutex_);
  return std::exchange(released_, {});
}

}  // namespace spica::opencl
