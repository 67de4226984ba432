// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "platform/observe/trace/writer.h"

namespace spica::trace {

/// A log in the Kanata format, version 4, for the pipeline viewer Konata. One entry per fetched instruction; its thread
/// is the warp. Stages: F fetch and decode in progress, D decoded, B in the instruction buffer, I issue and operands, X
/// execution, C commit. Lane 1 shows the reason why the oldest instruction of a warp does not issue.
class KanataWriter final : public Writer {
 public:
  KanataWriter(const Context& context, const std::string& path, std::uint64_t limit);

  void stop(base::Cycle cycle) override;
  void finish(base::Cycle cycle, const std::string& why) override;
  void on_fetch(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_decode(base::Cycle cycle, const protocol::Origin& origin,
                 const isa::Instruction& instruction) override;
  void on_issue(const protocol::InstructionEvent& event) override;
  void on_commit(base::Cycle cycle, const protocol::Origin& origin, const isa::RegisterFile&) override;
  void on_drop(base::Cycle cycle, const protocol::Origin& origin) override;
  void on_warp_state(base::Cycle cycle, const protocol::Origin& origin, unsigned reason) override;

 private:
  struct Entry {
    std::uint64_t id;
    std::uint32_t pc;
    char stage;
    std::string stall;  // shown in lane 1; empty: none
  };
  struct Later {
    base::Cycle cycle;
    unsigned warp;
    std::uint64_t id;
    char from, to;  // stages; to 'R': the instruction retires
  };

  Entry* find(const protocol::Origin& origin, const char* stages);
  void catch_up(base::Cycle cycle);
  void go_to(base::Cycle cycle);
  void stage(Entry& entry, char stage);
  void end_stall(Entry& entry);
  void leave(unsigned warp, std::uint64_t id, bool flushed);
  void perform(const Later& later);

  bool started_ = false;
  base::Cycle now_ = 0;  // last cycle in the file
  std::uint64_t next_ = 0;  // next id
  std::uint64_t retired_ = 0;
  std::vector<std::deque<Entry>> warps_;  // instructions in progress, in fetch order
  std::multimap<base::Cycle, Later> later_;
};

}  // namespace spica::trace
