// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "platform/observe/debug/packet.h"

namespace spica::debug {

/// The wire to gdb: a TCP port on the loopback address that serves one gdb at a time; others are turned
/// away. Acknowledges packets until gdb wants no acknowledgements.
class Connection {
 public:
  /// Port 0: any free one. Throws UserError when the port is taken.
  explicit Connection(unsigned short port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  unsigned short port() const;
  /// A gdb is there.
  bool open() const;
  /// Closes the wire to this gdb; the next one may come.
  void close();

  /// Waits until a gdb is there.
  void wait_for_client();
  /// Takes in what has come, without waiting.
  void poll();
  /// The next packet; waits for it. Nothing when gdb has gone.
  std::optional<std::string> wait_for_packet();
  /// gdb has asked to stop the program; once. A request that arrives while the program is stopped is kept
  /// until it is taken: gdb sends it without knowing whether a step of its own has ended meanwhile.
  bool take_interrupt();

  /// Sends a packet. Does nothing when gdb has gone.
  void send(std::string_view payload);
  /// After the answer to QStartNoAckMode.
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
