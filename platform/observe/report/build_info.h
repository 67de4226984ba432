// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace spica::report {

/// The sources and options of this build. Defined in a source that build_info.cmake writes in every build.
struct BuildInfo {
  const char* version;
  const char* commit;  // "unknown" outside a git checkout
  bool dirty;          // a tracked file differed from the commit
  const char* compiler;
  const char* build_type;
};

extern const BuildInfo kBuildInfo;

}  // namespace spica::report
