// SPDX-License-Identifier: Apache-2.0
// The messages between the driver and `spica opencl-compiler`, which compiles one program: one request and
// one answer through the socket at its standard input (platform/bindings/client/channel.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/bindings/client/wire.h"
#include "platform/opencl/driver/compiler.h"

namespace spica::opencl {

/// What to do.
struct CompilerRequest {
  enum class Step : std::uint8_t { kCompile, kCombine, kLink };
  Step step = Step::kCompile;
  std::string source, options;
  Headers headers;  // of kCompile
  std::vector<std::string> codes;  // of kCombine and kLink
  std::uint32_t base = 0;  // of kLink
  std::uint64_t local_bytes = 0;  // shared memory of the machine
};

/// A result, or the reason why there is none: "" and an incomplete installation.
struct CompilerAnswer {
  std::string error;
  BuildResult result;
};

inline client::Writer& operator<<(client::Writer& to, const CompilerRequest& request) {
  return to << request.step << request.source << request.options << request.headers << request.codes
            << request.base << request.local_bytes;
}
inline client::Reader& operator>>(client::Reader& from, CompilerRequest& request) {
  return from >> request.step >> request.source >> request.options >> request.headers >> request.codes >>
         request.base >> request.local_bytes;
}

inline client::Writer& operator<<(client::Writer& to, const KernelArgument& argument) {
  return to << argument.name << argument.type << argument.space << argument.access << argument.qualifiers
            << argument.offset << argument.bytes;
}
inline client::Reader& operator>>(client::Reader& from, KernelArgument& argument) {
  return from >> argument.name >> argument.type >> argument.space >> argument.access >> argument.qualifiers >>
         argument.offset >> argument.bytes;
}

inline client::Writer& operator<<(client::Writer& to, const KernelDescription& kernel) {
  to << kernel.name << kernel.arguments;
  for (const std::uint32_t size : kernel.required_local) to << size;
  return to << kernel.local_bytes << kernel.private_bytes << kernel.attributes;
}
inline client::Reader& operator>>(client::Reader& from, KernelDescription& kernel) {
  from >> kernel.name >> kernel.arguments;
  for (std::uint32_t& size : kernel.required_local) from >> size;
  return from >> kernel.local_bytes >> kernel.private_bytes >> kernel.attributes;
}

inline client::Writer& operator<<(client::Writer& to, const CompilerAnswer& answer) {
  const BuildResult& result = answer.result;
  return to << answer.error << result.status << result.log << result.code << result.image_bytes
            << result.kernels;
}
inline client::Reader& operator>>(client::Reader& from, CompilerAnswer& answer) {
  BuildResult& result = answer.result;
  return from >> answer.error >> result.status >> result.log >> result.code >> result.image_bytes >>
         result.kernels;
}

}  // namespace spica::opencl
