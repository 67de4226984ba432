// SPDX-License-Identifier: Apache-2.0
// What the parts of the API have in common: errors of the user, faults of the guest.
#pragma once

#include <string>

#include "models/protocol/guest_fault.h"
#include "platform/base/config/problem.h"
#include "platform/base/input/user_error.h"
#include "platform/bindings/api/home.h"
#include "platform/bindings/client/spica.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::api {

/// What is wrong with what the user gave is an Error, whoever finds it.
template <class Action>
auto as_errors(Action&& action) {
  try {
    return action();
  } catch (const config::ConfigError& error) {
    throw Error(error.what());
  } catch (const input::UserError& error) {
    throw Error(error.what());
  }
}

/// Throws Error when `configuration` is not a file and there are no shipped ones. `share`: where they were looked for.
void check_home(const Home& home, const std::string& configuration, const char* share);

/// `compressed`: see loader::Program.
Fault fault_of(const protocol::GuestFault& fault, const soc::SocParams& params,
               const loader::SourceMap& sources, bool compressed);

}  // namespace spica::api
