// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/executable.h"

#include <atomic>
#include <utility>

namespace spica::opencl {

namespace {
std::atomic<std::uint64_t> next_serial{1};
}

Executable::Executable(std::shared_ptr<ProgramArea> area, std::uint32_t base, BuildResult built)
    : area_(std::move(area)),
      base_(base),
      serial_(next_serial++),
      elf_(std::move(built.code)),
      kernels_(std::move(built.kernels)) {}

}  // namespace spica::opencl
