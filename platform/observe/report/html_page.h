// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace spica::report {

/// The files of platform/observe/report/html by name, embedded at build time.
const std::map<std::string, std::string>& html_page();

}  // namespace spica::report
