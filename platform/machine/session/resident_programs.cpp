// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/session/resident_programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/input/printable.h"
#include "platform/base/input/user_error.h"
#include "platform/machine/session/stack_guard.h"

namespace spica::session {

namespace {

bool overlap(const loader::Segment& a, const loader::Segment& b) {
  return a.address < b.address + b.size() && b.address < a.address + a.size();
}

/// How a program is linked elsewhere.
constexpr const char* kHowToMove =
    "link it at another address with -Wl,--defsym=__program_base=ADDRESS (sw/lib/kernel.ld)";

void check_apart(const loader::Program& program, const loader::Program& other) {
  for (const loader::Segment& mine : program.segments)
    for (const loader::Segment& theirs : other.segments)
      if (overlap(mine, theirs))
        throw input::UserError(fmt::format(
            "'{}': {} at {} overlaps {} of '{}' at {}: {}, or remove the other program first",
            input::printable(program.path), mine.name, loader::range_text(mine.address, mine.size()),
            theirs.name, input::printable(other.path), loader::range_text(theirs.address, theirs.size()),
            kHowToMove));
}

}  // namespace

/// One check covers all programs: their stacks are at the same place, and their own memory lies between the
/// lowest and the highest address of any.
std::optional<isa::StackGuard> ResidentPrograms::common_guard(const loader::Program& program) const {
  std::optional<isa::StackGuard> guard = stack_guard(program);
  if (!guard || !guard_) return guard ? guard : guard_;
  if (guard->top != guard_->top || guard->stride != guard_->stride || guard->bytes != guard_->bytes)
    throw input::UserError(fmt::format(
        "'{}' has stacks of {} bytes below {:#x}, the programs before have stacks of {} bytes below {:#x}: "
        "build it with the same start-up code and settings",
        input::printable(program.path), guard->bytes, guard->top, guard_->bytes, guard_->top));
  guard->own_begin = std::min(guard->own_begin, guard_->own_begin);
  guard->own_end = std::max(guard->own_end, guard_->own_end);
  return guard;
}

void ResidentPrograms::add(const loader::Program& program) {
  for (const loader::Segment& segment : program.segments)
    loader::check_range(fmt::format("'{}': {}", input::printable(program.path), segment.name),
                        segment.address, segment.size(), {free_});
  for (const loader::Program* other : programs_) check_apart(program, *other);
  const std::optional<isa::StackGuard> guard = common_guard(program);
  for (const loader::Segment& segment : program.segments) {
    std::vector<unsigned char> bytes = segment.bytes;
    bytes.resize(segment.size());
    machine_.write(segment.address, bytes.data(), bytes.size());
  }
  guard_ = guard;
  if (guard_) machine_.guard_stacks(*guard_);
  programs_.push_back(&program);
}

void ResidentPrograms::remove(const loader::Program& program) {
  programs_.erase(std::remove(programs_.begin(), programs_.end(), &program), programs_.end());
}

}  // namespace spica::session
