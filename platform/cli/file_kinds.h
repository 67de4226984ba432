// SPDX-License-Identifier: Apache-2.0
// The kinds of files that `spica config` checks, prints and explains.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "platform/base/config/listing.h"
#include "platform/base/config/source.h"

namespace spica::cli {

struct KindOfFile {
  std::string name;  // the value of --kind
  config::FileKind files;
  std::function<std::vector<config::ParameterInfo>()> list;
  std::function<void(std::ostream& os)> schema;
  /// Throws ConfigError with all errors; prints all values in effect if `dump` is set.
  std::function<void(const config::Source& source, bool dump)> check;
};

std::vector<std::string> names_of_kinds();
/// The kind with that name.
KindOfFile kind_of_file(const std::string& name);
/// The kind of files with a part of a machine, such as configs/blocks: the group with that key. Throws UserError.
KindOfFile kind_of_group(const std::string& key);

}  // namespace spica::cli
