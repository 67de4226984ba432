// SPDX-License-Identifier: Apache-2.0
#include "models/isa/execute.h"

#include "models/base/host_dispatch.h"

namespace spica::isa {

// Constant-initialised to what runs everywhere, so that it is valid whenever static objects use it.
const LaneKernels* lane_kernels = &baseline::kLaneKernels;

namespace {
const bool has_chosen =
    (lane_kernels = base::host_version(&baseline::kLaneKernels, &avx2::kLaneKernels), true);
}  // namespace

}  // namespace spica::isa
