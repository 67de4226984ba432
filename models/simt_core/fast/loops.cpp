// SPDX-License-Identifier: Apache-2.0
#include "models/base/host_dispatch.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

namespace baseline {
extern const HostLoops kLoops;
}
namespace avx2 {
extern const HostLoops kLoops;
}

Loops loops(unsigned lanes) {
  const HostLoops& host = *base::host_version(&baseline::kLoops, &avx2::kLoops);
  const Loop some = lanes <= 8 ? host.some_of_eight : host.some_of_more;
  const bool power_of_two = (lanes & (lanes - 1)) == 0;
  return {power_of_two ? host.all[__builtin_ctz(lanes)] : some, some, host.begin};
}

}  // namespace spica::simt_core::fast
