// SPDX-License-Identifier: Apache-2.0
#include "models/base/host_dispatch.h"
#include "models/simt_core/fast/slice.h"

namespace spica::simt_core::fast {

#define SPICA_LOOPS_OF_A_HOST                                                                     \
  void all_of_1(Slice&), all_of_2(Slice&), all_of_4(Slice&), all_of_8(Slice&), all_of_16(Slice&), \
      all_of_32(Slice&), some_of_8(Slice&), some_of_more(Slice&), begin(const isa::FloatState&);  \
  const HostLoops kLoops{                                                                         \
      {all_of_1, all_of_2, all_of_4, all_of_8, all_of_16, all_of_32}, some_of_8, some_of_more, begin};

namespace baseline {
SPICA_LOOPS_OF_A_HOST
}
namespace avx2 {
SPICA_LOOPS_OF_A_HOST
}

Loops loops(unsigned lanes) {
  const HostLoops& host = *base::host_version(&baseline::kLoops, &avx2::kLoops);
  const Loop some = lanes <= 8 ? host.some_of_eight : host.some_of_more;
  const bool power_of_two = (lanes & (lanes - 1)) == 0;
  return {power_of_two ? host.all[__builtin_ctz(lanes)] : some, some, host.begin};
}

}  // namespace spica::simt_core::fast
