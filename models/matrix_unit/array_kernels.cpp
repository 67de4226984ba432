// SPDX-License-Identifier: Apache-2.0
#include "models/matrix_unit/array_kernels.h"

#include "models/base/host_dispatch.h"

namespace spica::matrix_unit {

namespace baseline {
const ArrayKernels& kernels(unsigned dim);
}
namespace avx2 {
const ArrayKernels& kernels(unsigned dim);
}

const ArrayKernels& array_kernels(unsigned dim, base::HostCode code) {
  return base::host_version(&baseline::kernels, &avx2::kernels, code)(dim);
}

const ArrayKernels& array_kernels(unsigned dim) { return array_kernels(dim, base::host_code()); }

}  // namespace spica::matrix_unit
