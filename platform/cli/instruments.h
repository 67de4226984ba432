// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "platform/bindings/api/local_machine.h"

namespace spica::cli {

/// Creates the observers of `spica run --check, --profile, --energy, --trace` for machines of Python and C++. Throws
/// UserError.
std::unique_ptr<api::Instruments> make_instruments(const Observation& observation, const api::Observed& run);

}  // namespace spica::cli
