// SPDX-License-Identifier: Apache-2.0
// Keys of settings are looked up in the description of the parameters, so that no message repeats them.
#pragma once

#include <string>
#include <typeinfo>

#include "platform/machine/soc/soc_params.h"

namespace spica::soc {

namespace detail {
std::string key_at(const SocParams& params, const void* place, const std::type_info& type);
}

/// The path of a parameter or group in a configuration: key_of(params, params.cluster.core.warps). Throws
/// std::logic_error if it is not part of `params`.
template <class Parameter>
std::string key_of(const SocParams& params, const Parameter& parameter) {
  return detail::key_at(params, &parameter, typeid(Parameter));
}

/// A default machine with matrix units up to this number, to look up keys.
SocParams any_machine(std::size_t matrix_unit = 0);

/// In the form of --set.
template <class Parameter>
std::string setting(const SocParams& params, const Parameter& parameter, const std::string& value) {
  return key_of(params, parameter) + "=" + value;
}

}  // namespace spica::soc
