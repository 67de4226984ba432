// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace spica::job {

/// Runs `work` in a child process that has a copy of the memory of this one, and returns its text. For machines that are
/// needed before the one of this process: SystemC elaborates once per process, so call it before the session is made.
/// The child ends with this process. Throws UserError for one of `work`, and std::runtime_error for any other exception
/// or end of the child.
std::string run_forked(const std::function<std::string()>& work);

}  // namespace spica::job
