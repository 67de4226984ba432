// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/assertions.h"

#include <algorithm>
#include <cstring>

#include "platform/machine/loader/section.h"

namespace spica::session {

namespace {

std::string text_at(const loader::Program& program, std::uint32_t address) {
  for (const loader::Segment& segment : program.segments) {
    if (address < segment.address || address - segment.address >= segment.bytes.size()) continue;
    const auto begin = segment.bytes.begin() + static_cast<std::ptrdiff_t>(address - segment.address);
    return {begin, std::find(begin, segment.bytes.end(), 0)};
  }
  return {};
}

}  // namespace

protocol::GuestFault named(const protocol::GuestFault& fault, const loader::Program& program) {
  if (fault.kind != protocol::FaultKind::kBreakpoint) return fault;
  const std::vector<unsigned char> bytes = loader::section_bytes(program, ".debug_spica_assertions");
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint32_t words[2];  // addresses: of the ebreak, and of the condition; 0 for abort()
    std::memcpy(words, &bytes[i], sizeof words);
    if (words[0] != fault.origin.pc) continue;
    protocol::GuestFault named = fault;
    named.kind = words[1] == 0 ? protocol::FaultKind::kAbort : protocol::FaultKind::kAssertion;
    named.detail = words[1] == 0 ? "" : text_at(program, words[1]);
    return named;
  }
  return fault;
}

}  // namespace spica::session
