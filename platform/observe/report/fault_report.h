// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/isa/instruction.h"
#include "models/protocol/payload/guest_fault.h"
#include "platform/machine/loader/source_map.h"

namespace spica::report {

/// Describes the error without its place: "a branch went different ways in different lanes".
const char* fault_sentence(protocol::FaultKind kind);

/// "core 2, warp 3", "matrix unit 0", "host".
std::string origin_text(const protocol::Origin& origin);

/// True if the origin is an instruction of a core or a firmware.
bool has_pc(const protocol::Origin& origin);

/// Lane numbers of a mask: "0,2-5"; "none" for an empty mask.
std::string lanes_text(std::uint32_t mask);

/// "gemm, sw/kernels/gemm/main.cpp:42", or the known part of it; "" if nothing is known.
std::string frame_text(const loader::Frame& frame);

/// The data of the run needed for a report.
struct FaultContext {
  const loader::SourceMap* sources = nullptr;  // must not be null when used
  double clock_mhz = 0;
  isa::TensorStyle tensor_style = isa::TensorStyle::kUnknown;
  bool compressed_program = false;  // loader::Program::compressed
};

/// Explains a guest error to the author of the program: one line with the error, then lines with time, place in the
/// hardware and in the source, instruction, lanes, address, and expectation. Unknown items are omitted. Ends with a
/// newline; the same fault gives the same text on every host.
std::string format_fault(const protocol::GuestFault& fault, const FaultContext& context);

}  // namespace spica::report
