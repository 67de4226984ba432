// SPDX-License-Identifier: Apache-2.0
// What every program says about the machine it was built for.
#include "built_for.h"

#include "platform.h"

BUILT_FOR("shared_memory.size", PLATFORM_SHARED_SIZE);
