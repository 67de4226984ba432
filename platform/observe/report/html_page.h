// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace spica::report {

/// The files of platform/observe/report/html by name, as they were when this program was built.
const std::map<std::string, std::string>& html_page();

}  // namespace spica::report
