// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/bindings/client/wire.h"

namespace spica::api {

/// The requests kMma and kExplain, which need no machine. Throws Error for operands and rules that are not possible.
void serve_mma(client::Reader& request, client::Writer& done);
void serve_explain(client::Reader& request, client::Writer& done);

}  // namespace spica::api
