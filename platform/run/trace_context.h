// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "platform/observe/trace/writer.h"

namespace spica::session {
struct StreamPlan;
}
namespace spica::soc {
class Machine;
class MeasuredMachine;
}  // namespace spica::soc

namespace spica::job {

/// What traces need to know of a machine, which must outlive them.
trace::Context trace_context(soc::MeasuredMachine& soc, const loader::SourceMap& sources);
/// Context of the fast mode, without pipeline and counters.
trace::Context trace_context(soc::Machine& soc, const loader::SourceMap& sources);
/// What the plan says of kernels that it has launched.
std::function<trace::KernelText(const protocol::KernelRun&)> kernel_texts(const session::StreamPlan& plan);

}  // namespace spica::job
