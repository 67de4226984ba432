// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/program_area.h"

#include <utility>

namespace spica::opencl {

std::optional<std::uint32_t> ProgramArea::reserve(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> held(mutex_);
  const auto base = ranges_.allocate((bytes + kSlot - 1) / kSlot * kSlot);
  if (!base) return std::nullopt;
  return static_cast<std::uint32_t>(*base);
}

void ProgramArea::release(std::uint32_t base, std::uint64_t serial, bool has_run) {
  const std::lock_guard<std::mutex> held(mutex_);
  if (!has_run || !keeps_programs_) ranges_.release(base);
  if (has_run) released_.push_back(serial);
}

std::vector<std::uint64_t> ProgramArea::take_released() {
  const std::lock_guard<std::mutex> held(mutex_);
  return std::exchange(released_, {});
}

}  // namespace spica::opencl
