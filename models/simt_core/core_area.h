// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/area.h"
#include "models/simt_core/simt_core_params.h"

namespace spica::simt_core {

/// What a SIMT core with these parameters is made of, without its caches and its tensor core.
base::AreaTerms core_area(const Params& p);

}  // namespace spica::simt_core
