// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/bindings/api/local_machine.h"

namespace spica::api {

/// Is the machine of another process (platform/bindings/client/process.h), which asks through `socket`; returns when
/// that is closed. What the user did wrong also goes there. The process ends at once when the other end is gone,
/// whatever it does.
void serve(int socket, const Places& places);

}  // namespace spica::api
