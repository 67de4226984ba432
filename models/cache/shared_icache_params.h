// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "models/cache/cache_params.h"

namespace spica::cache {

/// An instruction cache of a cluster, between the instruction caches of its cores and the system.
struct SharedIcacheParams : Params {
  bool present = false;

  /// 128 KB in lines of 128 bytes, 16 ways, two misses under way with 48 requests for them, four requests to memory
  /// (gpgpu-sim gpgpusim.config, gpgpu_cache:il1).
  SharedIcacheParams() : Params(l1_instruction()) {
    role = Role::kSharedInstruction;
    size_bytes = 128 * 1024;
    line_bytes = 128;
    ways = 16;
    replacement = Replacement::kLru;
    mshrs = 2;
    mshr_requests = 48;
    mshr_for_hits = false;
  }

  template <class Self, class Visit>
  static void describe(Self& p, Visit&& field) {
    field(
        "present", p.present, "misses of the cores' instruction caches go to one cache of the cluster",
        "jia section 3.3; huerta section 5.2: a level 0 cache in each sub-core, a level 1 cache for all four");
    Params::describe(p, field);
  }

  template <class Report>
  static void check(const SharedIcacheParams& p, Report&& contradiction) {
    Params::check(p, contradiction);
  }
};

}  // namespace spica::cache
