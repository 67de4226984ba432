// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/errors.h"
#include "platform/bindings/api/home.h"
#include "platform/bindings/api/local_machine.h"

/// SystemC's library refers to it; a program with a main() of its own need not have one.
extern "C" __attribute__((weak)) int sc_main(int, char*[]) { return 1; }

namespace spica {

Machine::Machine(const std::string& configuration, const std::vector<std::string>& overrides,
                 const char* share)
    : Machine([&] {
        const api::Home home = api::find_home(share);
        api::check_home(home, configuration, share);
        return api::make_local(configuration, overrides,
                               {home.configs, [home](const std::string& program, const soc::SocParams&) {
                                  return api::find_program(home, program);
                                }});
      }()) {}

}  // namespace spica
