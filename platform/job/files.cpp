// SPDX-License-Identifier: Apache-2.0
#include "platform/job/files.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "platform/loader/user_error.h"

namespace spica::job {

void make_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw loader::UserError(fmt::format("cannot create folder {}: {}", folder, error.message()));
}

}  // namespace spica::job
