// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/opencl/driver/compiler_wire.h"
#include "platform/workloads/compiler/kernel_compiler.h"

namespace spica::opencl {

/// Does what a driver asks of the compiler. An incomplete installation is also an answer.
CompilerAnswer answer_of(const CompilerRequest& request, const compiler::KernelHome& home);

/// Answers the one request of a driver on this socket.
void serve_compiler(int socket, const compiler::KernelHome& home);

}  // namespace spica::opencl
