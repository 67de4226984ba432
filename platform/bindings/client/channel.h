// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace spica::client {

/// Sends a message through a socket: its size (8 bytes) and its bytes; `more` is its second part. False: the other end
/// is closed.
struct Part {
  const void* data = nullptr;
  std::size_t bytes = 0;
};
bool send_message(int socket, const std::string& bytes, Part more = {});

/// Receives the next message; empty: the other end is closed.
std::optional<std::string> receive_message(int socket);

}  // namespace spica::client
