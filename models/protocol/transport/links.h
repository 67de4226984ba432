// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/base/links.h"

namespace spica::protocol {

using base::Links;  // ClockDomain::set_links()

}  // namespace spica::protocol
