// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/bindings/client/machine_impl.h"
#include "platform/bindings/client/wire.h"

namespace spica::api {

/// Serves a request to a device. False: it is none.
bool serve_device(client::Request kind, client::Reader& request, client::Writer& done, Device::Impl& device);

}  // namespace spica::api
