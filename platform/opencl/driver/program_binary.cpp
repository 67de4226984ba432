// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/program_binary.h"

#include <spica/version.h>

#include <stdexcept>

#include "platform/bindings/client/wire.h"

namespace spica::opencl {

namespace {

const std::string kHead = "Spica OpenCL program " SPICA_VERSION "\n";

}  // namespace

std::string bytes_of(const ProgramBinary& binary) {
  return kHead + (client::Writer() << binary.type << binary.built_for << binary.code).bytes();
}

std::optional<ProgramBinary> binary_of(const std::string& bytes) {
  if (bytes.compare(0, kHead.size(), kHead) != 0) return std::nullopt;
  client::Reader from(bytes.substr(kHead.size()));
  ProgramBinary binary;
  try {
    from >> binary.type >> binary.built_for >> binary.code;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  if (from.left() != 0) return std::nullopt;
  return binary;
}

}  // namespace spica::opencl
