// SPDX-License-Identifier: Apache-2.0
#include "platform/bindings/client/channel.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace spica::client {

namespace {

bool send_all(int socket, const void* data, std::size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes != 0) {
    const ssize_t sent = send(socket, at, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

/// How much came: less than wanted when the other end is closed.
std::size_t receive_all(int socket, char* to, std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const ssize_t more = recv(socket, to + got, bytes - got, 0);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    got += static_cast<std::size_t>(more);
  }
  return got;
}

}  // namespace

bool send_message(int socket, const std::string& bytes, Part more) {
  const std::uint64_t size = bytes.size() + more.bytes;
  return send_all(socket, &size, sizeof size) && send_all(socket, bytes.data(), bytes.size()) &&
         send_all(socket, more.data, more.bytes);
}

std::optional<std::string> receive_message(int socket) {
  std::uint64_t size = 0;
  char header[sizeof size];
  if (receive_all(socket, header, sizeof size) != sizeof size) return std::nullopt;
  std::memcpy(&size, header, sizeof size);
  // Room grows with what has come: the size word may be anything.
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 24;
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t before = bytes.size(),
                      more = std::min(size - before, std::max<std::uint64_t>(kPiece, before));
    bytes.resize(before + more);
    if (receive_all(socket, bytes.data() + before, more) != more) return std::nullopt;
  }
  return bytes;
}

}  // namespace spica::client
