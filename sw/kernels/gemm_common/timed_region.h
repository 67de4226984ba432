// SPDX-License-Identifier: Apache-2.0
// The timed region of a kernel that re-implements a published one: between its markers, from the first load of an
// operand to the last result in memory. With PUBLISHED_REGION it is what the published program times. The note names
// the one that was compiled.
#pragma once

#include <built_for.h>

#ifdef PUBLISHED_REGION
BUILT_FOR("region.published", 1);
#else
BUILT_FOR("region.published", 0);
#endif
