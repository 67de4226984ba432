// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc_config.h"

namespace spica::config {

template Field describe(soc::SocParams& params, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config
