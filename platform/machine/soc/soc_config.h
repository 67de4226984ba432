// SPDX-License-Identifier: Apache-2.0
// Reading and writing the configuration of a machine. The description of its some hundred parameters is compiled once,
// in soc_config.cpp: that takes seconds.
#pragma once

#include "platform/base/config/config.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::config {

extern template Field describe(soc::SocParams& params, std::string_view name, std::string_view doc,
                               std::string_view source);

}  // namespace spica::config

namespace spica::soc {

/// A machine of defaults, to look up its parameters.
const config::Field& described_machine();

}  // namespace spica::soc
