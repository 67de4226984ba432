// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/api/home.h"

#include <fmt/format.h>

#include "platform/base/input/environment.h"
#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"

namespace spica::api {

namespace fs = std::filesystem;

namespace {
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}
}  // namespace

Home find_home(const char* place) {
  Home home;
  const fs::path beside = fs::path(place).parent_path() / SPICA_SHARE_FROM_HEADER;
  // The last one: the compiler must not see where the header is.
  for (const fs::path& share : {fs::path(place), beside, fs::path(SPICA_INSTALLED_SHARE)})
    if (home.configs.empty() && is_folder(share / "configs"))
      home = {(share / "configs").lexically_normal(), (share / "kernels").lexically_normal()};
  if (const fs::path given = input::variable("SPICA_ROOT"); !given.empty()) home.configs = given / "configs";
  return home;
}

std::string find_program(const Home& home, const std::string& name) {
  std::error_code ignored;
  if (fs::exists(name, ignored) || name.find('/') != std::string::npos) return name;
  const fs::path shipped = home.kernels / (name + ".elf");
  if (!home.kernels.empty() && fs::exists(shipped, ignored)) return shipped.string();
  if (name.find('.') != std::string::npos || home.kernels.empty())
    return name;  // the reader reports what is wrong
  throw input::UserError(fmt::format("there is no file '{}', and no kernel of that name in {}",
                                     input::printable(name), home.kernels.string()));
}

}  // namespace spica::api
