// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "platform/base/input/printable.h"

namespace spica::loader {

/// Something the user gave is wrong: a file, an address, an argument. what() is one sentence
/// without a full stop, printable whatever the user gave; the command line prints it and exits with
/// code 2.
class UserError : public std::runtime_error {
 public:
  explicit UserError(const std::string& what) : std::runtime_error(input::printable_lines(what)) {}
};

}  // namespace spica::loader
