// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <systemc>
#include <tlm>

namespace spica::protocol {

/// Checks both sides of a link against the base protocol, call by call. Report each call of nb_transport when it begins
/// and when it returns; violations go to `Report`.
///
/// Source   IEEE Std 1666-2011, 15.2 (base protocol: phase transitions, request and response exclusion, timing), 14.7,
///          14.8, 14.16 (generic payload: attributes, response status, memory management)
class LinkRules {
 public:
  using Payload = tlm::tlm_generic_payload;
  /// Receives one sentence per violated rule.
  using Report = std::function<void(const std::string& sentence)>;

  explicit LinkRules(Report report) : report_(std::move(report)) {}

  void forward(const Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void forward_returns(const Payload& payload, tlm::tlm_sync_enum result, const tlm::tlm_phase& phase,
                       const sc_core::sc_time& delay);
  void backward(const Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
  void backward_returns(const Payload& payload, tlm::tlm_sync_enum result, const tlm::tlm_phase& phase,
                        const sc_core::sc_time& delay);
  /// A call of b_transport begins, and returns.
  void blocking(const Payload& payload);
  void blocking_returns(const Payload& payload);

  /// The initiator drops its requests in flight; the target may still answer them.
  void reset();
  /// Number of transactions without a response.
  std::size_t under_way() const { return transactions_.size(); }

 private:
  enum class State : std::uint8_t { kRequest, kRequested, kResponse };
  struct Transaction {
    State state;
    sc_core::sc_time last;  // time of its last phase
    tlm::tlm_command command;
    const unsigned char* data;
    unsigned bytes;
    const unsigned char* enables;
  };

  void check_request(const Payload& payload, bool needs_manager);
  void check_response(const Payload& payload);
  void begin_request(const Payload& payload, const sc_core::sc_time& time);
  void end_request(const Payload& payload, const sc_core::sc_time& time);
  void begin_response(const Payload& payload, const sc_core::sc_time& time);
  void end_response(const Payload& payload, const sc_core::sc_time& time);
  Transaction* find(const Payload& payload, const char* phase);
  void pass(Transaction& transaction, const sc_core::sc_time& time, const char* phase);
  void broken(const Payload& payload, const std::string& what) const;

  const Report report_;
  std::map<const Payload*, Transaction> transactions_;
  std::set<const Payload*> forgotten_;  // payloads dropped by a reset
  const Payload* requesting_ = nullptr;  // its BEGIN_REQ has not ended
  const Payload* responding_ = nullptr;  // its BEGIN_RESP has not ended
};

}  // namespace spica::protocol
