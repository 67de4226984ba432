// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "platform/base/input/printable.h"

namespace spica::input {

/// An error in user input: a file, an address, an argument. what() is one sentence without a full stop, always
/// printable; the command line prints it and exits with code 2.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& what) : std::runtime_error(printable_lines(what)) {}
};

}  // namespace spica::input
