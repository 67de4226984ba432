// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/check/user_code.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "models/isa/registers.h"
#include "models/isa/stacks.h"
#include "platform/machine/loader/user_call.h"
#include "platform/machine/loader/user_frame.h"

namespace spica::check {

namespace {

constexpr std::uint8_t kReturnAddress = 1;

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

UserCode::UserCode(const soc::SocParams& params, const loader::Program& program,
                   const loader::SourceMap& sources, HeapBlocks::ReadMemory read)
    : warps_(params.cluster.core.warps),
      lanes_(params.cluster.core.lanes),
      program_(program),
      sources_(sources),
      read_(std::move(read)),
      stacks_(loader::stack_layout(program)) {
  if (stacks_) {
    stacks_end_ = stacks_->top;
    stacks_begin_ = stacks_->end(params.harts());
  }
}

UserCode::Code UserCode::at(std::uint32_t pc) {
  const auto [found, fresh] = code_.try_emplace(pc, Code::kUser);
  if (!fresh) return found->second;
  const loader::Location& at = sources_.lookup(pc);
  std::vector<loader::Frame> frames = at.inlined_into;
  frames.insert(frames.begin(), at.frame);
  for (const loader::Frame& frame : frames) {
    if (ends_with(frame.file, "lib/heap.cpp")) found->second = Code::kHeap;
    else if (frame.function == "memcpy" || frame.function == "memmove") found->second = Code::kCopy;
  }
  return found->second;
}

std::uint32_t UserCode::called_from(const protocol::InstructionEvent& event, unsigned lane) const {
  const std::uint32_t pc = event.origin.pc;
  if (!stacks_ || !loader::of_library(loader::user_frame(sources_.lookup(pc)).file)) return 0;
  const std::uint64_t hart = (event.origin.core * warps_ + event.origin.warp) * lanes_ + lane;
  const std::uint64_t begin =
      (std::uint64_t{event.registers.row(isa::kStackPointer)[lane]} + 3) & ~std::uint64_t{3};
  std::vector<std::uint32_t> words{event.registers.row(kReturnAddress)[lane]};
  if (begin >= stacks_->begin(hart) && begin < stacks_->end(hart)) {
    std::vector<unsigned char> bytes((stacks_->end(hart) - begin) & ~std::uint64_t{3});
    words.resize(1 + bytes.size() / 4);
    if (read_(begin, bytes.data(), bytes.size())) std::memcpy(&words[1], bytes.data(), bytes.size());
    else words.resize(1);
  }
  return loader::user_call(program_, sources_, pc, words).value_or(0);
}

}  // namespace spica::check
