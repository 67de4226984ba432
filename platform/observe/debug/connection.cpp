// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/connection.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio.hpp>

#include "platform/base/input/user_error.h"

namespace spica::debug {

namespace asio = boost::asio;
using asio::ip::tcp;

struct Connection::Wire {
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  tcp::socket client{context};
  std::array<char, 4096> buffer;
  std::string received;
  unsigned visit = 0;  // how many gdbs have gone

  void accept_next() {
    acceptor.async_accept([this](const boost::system::error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      // A second gdb is turned away: its socket closes at the end of this function.
      if (!error && !client.is_open()) {
        client = std::move(socket);
        boost::system::error_code ignored;
        client.set_option(tcp::no_delay(true), ignored);
        read_next();
      }
      accept_next();
    });
  }
  void read_next() {
    client.async_read_some(asio::buffer(buffer),
                           [this, mine = visit](const boost::system::error_code& error, std::size_t bytes) {
                             if (mine != visit) return;  // of a gdb that has gone
                             if (error) {
                               shut();
                               return;
                             }
                             received.append(buffer.data(), bytes);
                             read_next();
                           });
  }
  void shut() {
    ++visit;
    boost::system::error_code ignored;
    client.shutdown(tcp::socket::shutdown_both, ignored);
    client.close(ignored);
  }
};

Connection::Connection(unsigned short port) : wire_(std::make_unique<Wire>()) {
  boost::system::error_code error;
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  wire_->acceptor.open(endpoint.protocol(), error);
  if (!error) wire_->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) wire_->acceptor.bind(endpoint, error);
  if (!error) wire_->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    throw input::UserError(fmt::format(
        "cannot open port {} on 127.0.0.1 for gdb: {}; choose another one, or 0 for any free port", port,
        error.message()));
  wire_->accept_next();
}

Connection::~Connection() { close(); }

unsigned short Connection::port() const { return wire_->acceptor.local_endpoint().port(); }

bool Connection::open() const { return wire_->client.is_open(); }

void Connection::close() {
  if (open()) wire_->shut();
  wire_->received.clear();
  reader_.reset();
  packets_.clear();
  last_frame_.clear();
  acknowledges_ = true;
  interrupt_ = false;
}

void Connection::wait_for_client() {
  while (!open()) wire_->context.run_one();
}

void Connection::poll() {
  wire_->context.poll();
  sort_items();
}

void Connection::sort_items() {
  reader_.feed(wire_->received);
  wire_->received.clear();
  const auto write = [this](std::string_view bytes) {
    boost::system::error_code error;
    if (open()) asio::write(wire_->client, asio::buffer(bytes.data(), bytes.size()), error);
    if (error) wire_->shut();
  };
  while (std::optional<Item> item = reader_.next()) {
    switch (item->kind) {
      case Item::Kind::kPacket:
        if (acknowledges_) write("+");
        packets_.push_back(std::move(item->payload));
        break;
      case Item::Kind::kDamaged:
        if (acknowledges_) write("-");
        break;
      case Item::Kind::kInterrupt: interrupt_ = true; break;
      case Item::Kind::kAck: break;
      case Item::Kind::kNack:
        if (acknowledges_) write(last_frame_);
        break;
    }
  }
}

std::optional<std::string> Connection::wait_for_packet() {
  sort_items();
  while (packets_.empty()) {
    if (!open()) return std::nullopt;
    wire_->context.run_one();
    sort_items();
  }
  std::string packet = std::move(packets_.front());
  packets_.pop_front();
  return packet;
}

bool Connection::take_interrupt() {
  const bool was = interrupt_;
  interrupt_ = false;
  return was;
}

void Connection::send(std::string_view payload) {
  if (!open()) return;
  last_frame_ = frame(payload);
  boost::system::error_code error;
  asio::write(wire_->client, asio::buffer(last_frame_), error);
  if (error) wire_->shut();
}

void Connection::stop_acknowledging() { acknowledges_ = false; }

}  // namespace spica::debug
