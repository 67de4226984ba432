// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/bindings/api/local_machine.h"

namespace spica::api {

/// Serves requests for one machine through `socket`, for another process (platform/bindings/client/process.h), until
/// the socket is closed. Errors of the user are sent as well. The process exits immediately if the other end is closed
/// during a request.
void serve(int socket, const Places& places);

}  // namespace spica::api
