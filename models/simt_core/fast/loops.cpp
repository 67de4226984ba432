// SPDX-License-Identifier: Apache-2.0
#include "models/isa/execute.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

namespace baseline {
extern const Loops kLoops;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Loops kLoops;
}
const Loops& loops() { return isa::host_has_avx2() ? avx2::kLoops : baseline::kLoops; }
#else
const Loops& loops() { return baseline::kLoops; }
#endif

}  // namespace spica::simt_core::fast
