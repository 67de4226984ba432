// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/soc_config.h"

namespace spica::config {

template Field describe(soc::SocParams& params, std::string_view name, std::string_view doc,
                        std::string_view source);

}  // namespace spica::config

namespace spica::soc {

const config::Field& described_machine() {
  static SocParams params;
  static const config::Field machine = config::describe(params);
  return machine;
}

}  // namespace spica::soc
