// SPDX-License-Identifier: Apache-2.0
// Keys of settings come from the description of the parameters: no text repeats them.
#pragma once

#include <string>
#include <typeinfo>

#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

namespace detail {
std::string key_at(const SocParams& params, const void* place, const std::type_info& type);
}

/// The path in a configuration of one of its parameters or groups: key_of(params, params.cluster.core.warps). Throws
/// std::logic_error when it is none of `params`.
template <class Parameter>
std::string key_of(const SocParams& params, const Parameter& parameter) {
  return detail::key_at(params, &parameter, typeid(Parameter));
}

/// A machine of defaults with a matrix unit of each number up to this one, to take keys from.
SocParams any_machine(std::size_t matrix_unit = 0);

/// As --set has it.
template <class Parameter>
std::string setting(const SocParams& params, const Parameter& parameter, const std::string& value) {
  return key_of(params, parameter) + "=" + value;
}

}  // namespace spica::soc
