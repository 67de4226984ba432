// SPDX-License-Identifier: Apache-2.0
// Reads and writes the configuration of a machine. The description of its parameters is compiled once, in
// soc_config.cpp, because it takes seconds.
#pragma once

#include "platform/base/config/config.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::config {

extern template Field describe(soc::SocParams& params, std::string_view name, std::string_view doc,
                               std::string_view source);

}  // namespace spica::config

namespace spica::soc {

/// The description of a default machine, to look up parameters.
const config::Field& described_machine();

}  // namespace spica::soc
