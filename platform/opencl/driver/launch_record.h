// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/opencl/driver/event.h"

namespace spica::opencl {

/// Appends a line to the file named by the environment variable SPICA_OPENCL_RECORD, for `spica opencl`:
/// kernel, global size, local size, cycles, start and end in ns, separated by tabs. Without the variable it
/// does nothing.
void record_launch(const _cl_event& event, const Completion& completion);

}  // namespace spica::opencl
