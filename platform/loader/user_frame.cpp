// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/user_frame.h"

#include <string_view>

namespace spica::loader {

namespace {

/// Cuts `end` off the end of `path`. False: it ends otherwise.
bool take_end(std::string_view& path, std::string_view end) {
  if (path.size() < end.size() || path.substr(path.size() - end.size()) != end) return false;
  path.remove_suffix(end.size());
  return true;
}

}  // namespace

bool of_library(const std::string& file) {
  std::string_view path = file;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string name = file.substr(slash) + '/';
  path = path.substr(0, slash + 1);
  if (!take_end(path, "sw/lib/") && !take_end(path, "sw/lib/include/") &&
      !take_end(path, "sw/lib/include/spica/"))
    return false;
  if (!path.empty() && path.back() != '/') return false;
  return std::string_view(SPICA_LIBRARY_FILES).find(name) != std::string_view::npos;  // "/a.h/b.cpp/"
}

const Frame& user_frame(const Location& location) {
  if (!of_library(location.frame.file)) return location.frame;
  for (const Frame& frame : location.inlined_into)
    if (!of_library(frame.file)) return frame;
  return location.frame;
}

}  // namespace spica::loader
