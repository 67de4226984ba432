// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "platform/opencl/driver/device_choice.h"
#include "platform/opencl/driver/machine.h"

namespace spica::opencl {

/// The parts of a machine's memory. Argument blocks are first, then programs, then buffers.
DeviceFacts session_facts(const std::string& program, const DeviceChoice& choice);
/// Starts a machine in a process `spica serve`. `program`: path of the program spica. What kernels print goes
/// to standard output. What checks find is recorded when the machine ends (findings.h). Throws std::exception.
std::unique_ptr<DeviceMachine> start_session(const std::string& program, const DeviceChoice& choice);

}  // namespace spica::opencl
