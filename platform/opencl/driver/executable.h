// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/opencl/driver/compiler.h"
#include "platform/opencl/driver/program_area.h"

namespace spica::opencl {

/// A linked program for one device of a context. It owns its addresses.
class Executable {
 public:
  /// `base` was reserved in `area`.
  Executable(std::shared_ptr<ProgramArea> area, std::uint32_t base, BuildResult built);
  ~Executable() { area_->release(base_, serial_, has_run_); }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  const std::string& elf() const { return elf_; }
  const std::vector<KernelDescription>& kernels() const { return kernels_; }
  /// Unique in the process.
  std::uint64_t serial() const { return serial_; }
  void set_run() const { has_run_ = true; }

 private:
  std::shared_ptr<ProgramArea> area_;
  std::uint32_t base_;
  std::uint64_t serial_;
  mutable std::atomic<bool> has_run_{false};  // the machine has it
  std::string elf_;
  std::vector<KernelDescription> kernels_;
};

}  // namespace spica::opencl
