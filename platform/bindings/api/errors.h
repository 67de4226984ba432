// SPDX-License-Identifier: Apache-2.0
// Errors of the user and faults of the guest, shared by the parts of the API.
#pragma once

#include <string>

#include "models/protocol/payload/guest_fault.h"
#include "platform/base/config/problem.h"
#include "platform/base/input/user_error.h"
#include "platform/bindings/api/home.h"
#include "platform/bindings/client/spica.h"
#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/soc_params.h"

namespace spica::api {

/// Converts exceptions about the user's input into Error.
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

/// Throws Error if `configuration` is not a file and no shipped configurations are found. `share`: where they were
/// searched.
void check_home(const Home& home, const std::string& configuration, const char* share);

/// `compressed`: see loader::Program.
Fault fault_of(const protocol::GuestFault& fault, const soc::SocParams& params,
               const loader::SourceMap& sources, bool compressed);

}  // namespace spica::api
