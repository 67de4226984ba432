// SPDX-License-Identifier: Apache-2.0
#include "platform/run/host_errors.h"

#include <cstdio>
#include <iostream>
#include <new>
#include <system_error>

#include "platform/base/config/config.h"
#include "platform/base/input/user_error.h"

namespace spica::job {

bool HostErrors::attempt(const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const config::ConfigError& error) {
    user(error.what());
  } catch (const input::UserError& error) {
    user(error.what());
  } catch (const std::bad_alloc&) {
    user("not enough memory");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) internal(error.what());  // else it is reported at the end of the program
  } catch (const std::exception& error) {
    internal(error.what());
  }
  return false;
}

void HostErrors::user(const std::string& what) {
  user_ = true;
  std::cerr << "spica: " << what << ".\n";
}

void HostErrors::block(const std::string& what) {
  block_ = true;
  std::cerr << what << "\n";
}

void HostErrors::internal(const std::string& what) {
  internal_ = true;
  std::cerr << "spica: internal error: " << what << ".\nThis is a bug in Spica, not in your program.\n";
}

}  // namespace spica::job
