// SPDX-License-Identifier: Apache-2.0
#include "models/cache/past_tags.h"

#include <algorithm>

#include "models/protocol/payload/past_access.h"
#include "models/protocol/transport/foreign_call.h"

namespace spica::cache {

namespace {

/// For rotating replacement, which depends on the cycle of a fill: any.
base::Cycle some_turn(base::Address line) { return line * 0x9E37'79B9'7F4A'7C15u >> 32; }

}  // namespace

unsigned PastTags::access(const protocol::Payload& payload, const TagsOf& tags_of) {
  const std::uint64_t begin = payload.get_address(), end = begin + payload.get_data_length();
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t next = std::min(end, (map_.line(at) + 1) << map_.line_shift());
    const auto bytes = static_cast<std::uint32_t>(next - at);
    const Sectors sectors = map_.touched(at, bytes);
    if (params_.partitions > 1) send(payload.get_command(), map_.line(at), sectors);
    else if (payload.is_read()) read(tags_of(map_.line(at)), map_.line(at), sectors);
    else write(tags_of(map_.line(at)), map_.line(at), sectors, map_.whole(at, bytes));
    at = next;
  }
  return payload.get_data_length();
}

void PastTags::read(TagArray& tags, base::Address line, Sectors sectors) {
  const unsigned slot = tags.lookup(line);
  const Sectors missing = slot == TagArray::kMiss ? sectors : tags.missing(slot, sectors);
  if (missing == 0) return;
  send(tlm::TLM_READ_COMMAND, line, missing);
  if (slot == TagArray::kMiss) place(tags, line, sectors, 0);
  else tags.add(slot, missing, 0);
}

void PastTags::write(TagArray& tags, base::Address line, Sectors sectors, bool whole) {
  const unsigned slot = tags.lookup(line);
  if (params_.write_policy == WritePolicy::kReadOnly) return;
  if (params_.write_policy == WritePolicy::kWriteThrough) return send(tlm::TLM_WRITE_COMMAND, line, sectors);
  const Sectors missing = slot == TagArray::kMiss ? sectors : tags.missing(slot, sectors);
  if (missing != 0 && !whole) send(tlm::TLM_READ_COMMAND, line, missing);
  if (slot == TagArray::kMiss) place(tags, line, sectors, sectors);
  else tags.add(slot, missing, sectors);
}

void PastTags::place(TagArray& tags, base::Address line, Sectors sectors, Sectors dirty) {
  const unsigned slot = tags.choose(line, some_turn(line));
  const TagArray::Evicted victim = tags.content(slot);
  tags.replace(slot, line, sectors, dirty);
  if (victim.valid && victim.dirty != 0) send(tlm::TLM_WRITE_COMMAND, victim.line, victim.dirty);
}

/// Each run of adjacent sectors.
void PastTags::send(tlm::tlm_command command, base::Address line, Sectors sectors) {
  for (Sectors rest = sectors; rest != 0;) {
    const Sectors run = first_run(rest);
    protocol::PastPayload request(command, map_.address(line, run), map_.bytes(run));
    protocol::call_foreign(out_, [&] { return out_->transport_dbg(request.payload()); });
    rest = static_cast<Sectors>(rest & ~run);
  }
}

}  // namespace spica::cache
