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

/// The machine's information for traces; all arguments must outlive them.
trace::Context trace_context(soc::MeasuredMachine& soc, const loader::SourceMap& sources);
/// Context of the fast mode, without pipeline and counters.
trace::Context trace_context(soc::Machine& soc, const loader::SourceMap& sources);
/// Texts for launched kernels, from the plan of their streams.
std::function<trace::KernelText(const protocol::KernelRun&)> kernel_texts(const session::StreamPlan& plan);

}  // namespace spica::job
