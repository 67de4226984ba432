// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::simt_core {

struct Context;
class Dispatcher;
class FrontEnd;

/// Connects the performance counters of class 1 of a core: its pipeline. All three must outlive them.
void connect_pipeline_counters(Context& core, const FrontEnd& front_end, const Dispatcher& units);

}  // namespace spica::simt_core
