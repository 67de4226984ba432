// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/opencl/driver/compiler.h"

namespace spica::opencl {

struct CompilerRequest;

/// Compiles in processes `spica opencl-compiler`, one for each step. They limit their time by
/// SPICA_OPENCL_BUILD_SECONDS.
class CompilerProcess final : public Compiler {
 public:
  /// `program`: path of the program spica. `local_bytes`: shared memory of the machine.
  CompilerProcess(std::string program, std::uint64_t local_bytes);

  BuildResult compile(const std::string& source, const std::string& options, const Headers& headers) override;
  BuildResult combine(const std::vector<std::string>& codes, const std::string& options) override;
  BuildResult link(const std::vector<std::string>& codes, const std::string& options,
                   std::uint32_t base) override;

 private:
  BuildResult run(CompilerRequest request) const;

  const std::string program_;
  const std::uint64_t local_bytes_;
};

}  // namespace spica::opencl
