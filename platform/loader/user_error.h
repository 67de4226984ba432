// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace spica::loader {

/// Something the user gave is wrong: a file, an address, an argument. what() is one sentence
/// without a full stop; the command line prints it and exits with code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace spica::loader
