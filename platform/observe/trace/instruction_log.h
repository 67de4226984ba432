// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "platform/observe/trace/writer.h"

namespace spica::trace {

/// One line of text per warp instruction; the lines of a warp are in program order:
///
///   17      c0.w2 #5 0x8000001c ff addi sp,sp,-16 | sp=0xff000ff0-4096*i
///   cycle   core, warp, number in the warp, pc, active lanes, instruction | registers written, memory
///
/// Without cycles, no line depends on timing: two runs in which a program does the same have equal lines for each warp.
class InstructionLog final : public Writer {
 public:
  InstructionLog(const Context& context, const std::string& path, std::uint64_t limit, bool cycles);

  void stop(base::Cycle cycle) override;
  void finish(base::Cycle cycle, const std::string& why) override;
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_commit(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::RegisterFile& registers) override;

 private:
  struct Line {
    std::uint32_t pc;
    std::uint32_t lanes;
    std::uint64_t writes;  // register rows
    bool committed;
    std::string text, registers, memory;
  };
  struct Warp {
    std::uint64_t issued = 0;
    std::deque<Line> waiting;  // in program order, starting with the first uncommitted one
  };
  void write_ready(Warp& warp);
  void write(const Line& line, const char* note);

  const bool cycles_;
  std::vector<Warp> warps_;
};

}  // namespace spica::trace
