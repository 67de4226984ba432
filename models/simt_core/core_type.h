// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/block_type.h"

namespace spica::simt_core {

/// What a SIMT core says of itself.
const base::BlockType& core_type();

}  // namespace spica::simt_core
