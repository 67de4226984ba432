// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/machine/loader/source_map.h"
#include "platform/machine/soc/run_control.h"
#include "platform/observe/debug/connection.h"
#include "platform/observe/debug/history.h"
#include "platform/observe/debug/monitor.h"
#include "platform/observe/debug/supervisor.h"
#include "platform/observe/debug/target.h"

namespace spica::debug {

/// Explains why a machine makes no progress, as text. After any state except kGoing, kEnded and kFault.
using Explain = std::function<std::string(soc::RunControl::RunState)>;

/// A server of gdb's remote serial protocol for one run: warps are threads, all of them stop together.
///
/// The run waits at its start for gdb. If gdb detaches or its connection breaks, the program continues without it, and
/// gdb may reconnect.
class Server {
 public:
  /// `root`: the base folder of names such as sw/lib/group.S. Call before the run starts. Throws UserError if the port
  /// is taken.
  Server(soc::RunControl& control, unsigned short port, const loader::SourceMap& sources,
         const std::filesystem::path& root, Explain explain);

  unsigned short port() const { return connection_.port(); }
  enum class End : std::uint8_t { kProgram, kKilled };
  /// Lets gdb drive the run until the program ends or the user ends it.
  End run();
  /// Prints a line of the program in gdb.
  void console(const std::string& line) { print(line + '\n'); }

 private:
  /// The request of gdb after it has inspected a stopped machine.
  enum class Wish : std::uint8_t { kNone, kGo, kStepBack, kGoBack, kDetach, kKill };

  // server.cpp
  std::optional<End> serve_stop();
  std::optional<End> go();
  void go_back(bool steps);
  void attach();
  void detach();
  soc::RunControl::RunState advance(base::Cycle cycles);
  soc::RunControl::RunState come_to_rest();
  bool understand(soc::RunControl::RunState rest);
  bool all_wait_for_held();
  bool steps_from_watchpoint() const;
  bool run_until_stop(soc::RunControl::RunState& rest);
  void choose_lane_of_stop();
  Stop stop_of_held();
  void report_stop();
  std::string stop_reply();
  void print(const std::string& text);
  std::optional<End> end_with(const std::string& reply);

  // packets.cpp
  Wish handle(std::string_view packet);
  std::string answer(std::string_view packet);
  std::string select_thread(Cursor cursor);
  std::string read_register(Cursor cursor);
  std::string write_register(Cursor cursor);
  std::string read_memory(Cursor cursor);
  std::string write_memory(Cursor cursor, bool binary);
  bool is_kept_variable(std::uint64_t address) const;
  std::string change_breakpoint(Cursor cursor, bool insert);
  static bool parse_conditions(Cursor cursor, std::vector<std::string>& conditions);
  bool parse_orders(std::string_view packet);
  bool parse_vcont(Cursor cursor);
  // queries.cpp
  std::string answer_query(std::string_view packet);
  std::string transfer(Cursor cursor);
  std::string monitor(std::string_view hex);
  /// The warp of a thread; empty if there is no such thread.
  std::optional<unsigned> warp_of(std::int64_t thread);

  soc::RunControl& control_;
  const loader::SourceMap& sources_;
  const Explain explain_;
  Connection connection_;
  Supervisor supervisor_;
  History history_;
  Target target_;
  Monitor monitor_;
  bool attached_ = false;
  bool going_ = false;  // running, as far as gdb knows
  bool final_ = false;  // the machine cannot continue
  bool wrote_variable_ = false;  // is_kept_variable(), since the last stop
  bool back_at_watch_ = false;  // the last stop, going back, is before an access to watched memory
  unsigned current_ = 0;  // warp of the general thread
  unsigned step_thread_ = ~0u;  // thread of Hc; ~0: all
  std::vector<Order> orders_;  // by warp, for the request to continue
  std::size_t told_faults_ = 0;
};

}  // namespace spica::debug
