// SPDX-License-Identifier: Apache-2.0
#include "models/base/host_dispatch.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

namespace baseline {
extern const Loops kLoops;
}
namespace avx2 {
extern const Loops kLoops;
}

const Loops& loops() { return *base::host_version(&baseline::kLoops, &avx2::kLoops); }

}  // namespace spica::simt_core::fast
