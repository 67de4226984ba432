// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/memory_checker.h"

#include <utility>

namespace spica::check {

MemoryChecker::MemoryChecker(const soc::SocParams& params, const protocol::AddressMap& map,
                             const loader::Program& program, const loader::SourceMap& sources,
                             HeapBlocks::ReadMemory read, UnitMemory::UnitOfSource unit_of_source,
                             const protocol::UnitRules& unit_rules)
    : objects_(program),
      buffers_(program),
      units_(params, std::move(unit_of_source), unit_rules, objects_, groups_, written_, moment_, findings_),
      warps_(params, map, program, sources, std::move(read), objects_, groups_, written_, units_, moment_,
             findings_) {}

void MemoryChecker::on_warp_start(base::Cycle, const protocol::Origin& by, unsigned core, unsigned warp,
                                  std::uint32_t) {
  warps_.start(core, warp);
  if (by.unit == protocol::Origin::Unit::kCore) groups_.spawn(by.core, by.warp, core, warp);
}

}  // namespace spica::check
