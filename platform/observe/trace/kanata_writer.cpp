// SPDX-License-Identifier: Apache-2.0
// Format: docs/kanata-log-format.md of the viewer Konata (github.com/shioyadan/Konata).
#include "platform/observe/trace/kanata_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/isa/instruction.h"
#include "models/protocol/payload/issue_reason.h"

namespace spica::trace {

namespace {

constexpr char kFetch = 'F', kDecoded = 'D', kBuffer = 'B', kIssue = 'I', kExecute = 'X', kCommit = 'C',
               kRetire = 'R';

}  // namespace

KanataWriter::KanataWriter(const Context& context, const std::string& path, std::uint64_t limit)
    : Writer(context, path, limit), warps_(std::size_t{context.cores} * context.warps) {
  file_.add("Kanata\t0004\n");
}

/// What was planned for cycles before `cycle` happens.
void KanataWriter::catch_up(base::Cycle cycle) {
  while (!later_.empty() && later_.begin()->first < cycle) {
    const Later later = later_.begin()->second;
    later_.erase(later_.begin());
    go_to(later.cycle);
    perform(later);
  }
}

/// Moves the file's time.
void KanataWriter::go_to(base::Cycle cycle) {
  if (!started_) file_.add("C=\t{}\n", cycle);
  else if (cycle > now_) file_.add("C\t{}\n", cycle - now_);
  started_ = true;
  now_ = std::max(now_, cycle);
}

void KanataWriter::perform(const Later& later) {
  if (later.to == kRetire) return leave(later.warp, later.id, false);
  for (Entry& entry : warps_[later.warp])
    if (entry.id == later.id && entry.stage == later.from) stage(entry, later.to);
}

void KanataWriter::stage(Entry& entry, char stage) {
  if (entry.stage != '\0') file_.add("E\t{}\t0\t{}\n", entry.id, entry.stage);
  entry.stage = stage;
  file_.add("S\t{}\t0\t{}\n", entry.id, stage);
}

void KanataWriter::end_stall(Entry& entry) {
  if (entry.stall.empty()) return;
  file_.add("E\t{}\t1\t{}\n", entry.id, entry.stall);
  entry.stall.clear();
}

void KanataWriter::leave(unsigned warp, std::uint64_t id, bool flushed) {
  std::deque<Entry>& entries = warps_[warp];
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.id == id; });
  if (found == entries.end()) return;
  end_stall(*found);
  file_.add("E\t{}\t0\t{}\n", id, found->stage);
  file_.add("R\t{}\t{}\t{}\n", id, retired_, flushed ? 1 : 0);
  if (!flushed) ++retired_;
  entries.erase(found);
}

/// The oldest instruction of the warp at this pc that is in one of the stages.
KanataWriter::Entry* KanataWriter::find(const protocol::Origin& origin, const char* stages) {
  for (Entry& entry : warps_[warp_index(origin.core, origin.warp)])
    if (entry.pc == origin.pc && std::strchr(stages, entry.stage) != nullptr) return &entry;
  return nullptr;
}

void KanataWriter::on_fetch(base::Cycle cycle, const protocol::Origin& origin) {
  if (!accepts(origin)) return;
  catch_up(cycle);
  go_to(cycle);
  const unsigned warp = warp_index(origin.core, origin.warp);
  Entry entry{next_++, origin.pc, '\0', ""};
  file_.add("I\t{}\t{}\t{}\n", entry.id, entry.id, warp);
  file_.add("L\t{}\t0\tc{}.w{} {:08x}: \n", entry.id, origin.core, unsigned{origin.warp}, origin.pc);
  stage(entry, kFetch);
  warps_[warp].push_back(std::move(entry));
}

void KanataWriter::on_decode(base::Cycle cycle, const protocol::Origin& origin,
                             const isa::Instruction& instruction) {
  catch_up(cycle);
  Entry* entry = find(origin, "F");
  if (entry == nullptr) return;
  go_to(cycle);
  file_.add("L\t{}\t0\t{}\n", entry->id, texts_.instruction(instruction, origin.pc));
  if (const std::string& place = texts_.place(origin.pc); !place.empty())
    file_.add("L\t{}\t1\t{}; \n", entry->id, place);
  stage(*entry, kDecoded);
  later_.insert({cycle + 1, {cycle + 1, warp_index(origin.core, origin.warp), entry->id, kDecoded, kBuffer}});
}

void KanataWriter::on_issue(const protocol::InstructionEvent& event) {
  catch_up(event.cycle);
  Entry* entry = find(event.origin, "DB");
  if (entry == nullptr) return;
  go_to(event.cycle);
  file_.add("L\t{}\t1\tlanes {:#x}\n", entry->id, event.origin.lanes);
  end_stall(*entry);
  stage(*entry, kIssue);
  const base::Cycle executes = event.cycle + std::max(1u, context_.operand_latency);
  later_.insert(
      {executes, {executes, warp_index(event.origin.core, event.origin.warp), entry->id, kIssue, kExecute}});
}

void KanataWriter::on_commit(base::Cycle cycle, const protocol::Origin& origin, const isa::RegisterFile&) {
  catch_up(cycle);
  Entry* entry = find(origin, "IX");
  if (entry == nullptr) return;
  go_to(cycle);
  stage(*entry, kCommit);
  later_.insert({cycle + 1, {cycle + 1, warp_index(origin.core, origin.warp), entry->id, kCommit, kRetire}});
}

void KanataWriter::on_drop(base::Cycle cycle, const protocol::Origin& origin) {
  catch_up(cycle);
  const Entry* entry = find(origin, "FDB");
  if (entry == nullptr) return;
  go_to(cycle);
  leave(warp_index(origin.core, origin.warp), entry->id, true);
}

void KanataWriter::on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) {
  using Reason = protocol::IssueReason;
  catch_up(cycle);
  Entry* entry = find(origin, "DB");
  if (entry == nullptr) return;
  const auto state = static_cast<Reason>(reason);
  const bool stalls = state != Reason::kIssued && state != Reason::kFetch && state != Reason::kControl &&
                      state != Reason::kBarrier && state != Reason::kNoWarp;
  const std::string& name = context_.reasons[reason];
  if (stalls ? entry->stall == name : entry->stall.empty()) return;
  go_to(cycle);
  end_stall(*entry);
  if (!stalls) return;
  entry->stall = name;
  file_.add("S\t{}\t1\t{}\n", entry->id, name);
}

/// Instructions that are still under way are shown as flushed.
void KanataWriter::stop(base::Cycle cycle) {
  catch_up(cycle);
  go_to(cycle);
  for (unsigned warp = 0; warp < warps_.size(); ++warp)
    while (!warps_[warp].empty()) {
      const Entry& entry = warps_[warp].front();
      if (entry.stage == kCommit) {
        leave(warp, entry.id, false);
        continue;
      }
      file_.add("L\t{}\t1\tnot committed when the trace ended\n", entry.id);
      leave(warp, entry.id, true);
    }
  later_.clear();
}

void KanataWriter::finish(base::Cycle, const std::string&) {}

}  // namespace spica::trace
