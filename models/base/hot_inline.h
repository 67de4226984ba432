// SPDX-License-Identifier: Apache-2.0
#pragma once

/// For the few functions of every instruction and cycle: a call costs more than what they do.
#define SPICA_HOT_INLINE [[gnu::always_inline]] inline
