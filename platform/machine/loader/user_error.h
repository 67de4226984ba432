// SPDX-License-Identifier: Apache-2.0
// Where users' files have it since 0.1, by its name of then.
#pragma once

#include "platform/base/input/user_error.h"

namespace spica::loader {

using input::UserError;

}  // namespace spica::loader
