// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/observe/debug/packet.h"

namespace spica::debug {

/// The connection to gdb: a TCP port on the loopback address that serves one gdb at a time and refuses others.
/// Acknowledges packets until gdb disables it.
class Connection {
 public:
  /// Port 0: any free one. Throws UserError when the port is taken.
  explicit Connection(unsigned short port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  unsigned short port() const;
  /// True if a gdb is connected.
  bool open() const;
  /// Closes the connection; another gdb may connect.
  void close();

  /// Waits for a connection.
  void wait_for_client();
  /// Reads available data without waiting.
  void poll();
  /// The next packet; waits for it. Empty if gdb has disconnected.
  std::optional<std::string> wait_for_packet();
  /// True once after gdb has asked to stop the program. A request that arrives while the program is stopped is kept
  /// until it is taken, because gdb may send it before it learns that its own step has ended.
  bool take_interrupt();

  /// Sends a packet; does nothing if gdb has disconnected.
  void send(std::string_view payload);
  /// Call after the answer to QStartNoAckMode.
  void stop_acknowledging();

 private:
  struct Wire;  // keeps Boost.Asio out of here
  void sort_items();

  std::unique_ptr<Wire> wire_;
  PacketReader reader_;
  std::deque<std::string> packets_;
  std::string last_frame_;
  bool acknowledges_ = true;
  bool interrupt_ = false;
};

}  // namespace spica::debug
