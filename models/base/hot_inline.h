// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For the few functions called for every instruction and cycle, whose call would cost more than their body.
#define SPICA_HOT_INLINE [[gnu::always_inline]] inline
