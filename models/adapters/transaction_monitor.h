// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <utility>

#include "models/adapters/between.h"

namespace spica::adapters {

/// One request and its response on a link.
struct Transaction {
  tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
  std::uint64_t address = 0;
  unsigned bytes = 0;
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  sc_core::sc_time begin;  // of the request
  sc_core::sc_time end;  // when the response begins, or b_transport returns
};

/// Prints one line of comma-separated values; header() names them.
inline std::ostream& operator<<(std::ostream& out, const Transaction& t) {
  const char* const command = t.command == tlm::TLM_READ_COMMAND    ? "read"
                              : t.command == tlm::TLM_WRITE_COMMAND ? "write"
                                                                    : "ignore";
  return out << t.begin.to_seconds() * 1e9 << ',' << t.end.to_seconds() * 1e9 << ',' << command << ','
             << t.address << ',' << t.bytes << ',' << (t.status == tlm::TLM_OK_RESPONSE ? "ok" : "error");
}

/// Reports every transaction on a link when its response begins, without changing it.
template <unsigned Width = 32, class Types = tlm::tlm_base_protocol_types>
class TransactionMonitor final : public Between<Width, Types> {
  using Base = Between<Width, Types>;

 public:
  using typename Base::Payload;
  using typename Base::Phase;
  using Observer = std::function<void(const Transaction&)>;

  TransactionMonitor(const sc_core::sc_module_name& name, Observer observer)
      : Base(name), observer_(std::move(observer)) {}
  /// The column names of a Transaction's line; times in ns.
  static const char* header() { return "begin_ns,end_ns,command,address,bytes,status"; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    const bool request = phase == tlm::BEGIN_REQ;
    if (request) begin(payload, delay);
    const tlm::tlm_sync_enum result = Base::nb_transport_fw(payload, phase, delay);
    if (request && (result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)))
      end(payload, delay);
    return result;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    if (phase == tlm::BEGIN_RESP) end(payload, delay);
    return Base::nb_transport_bw(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    begin(payload, delay);
    Base::b_transport(payload, delay);
    end(payload, delay);
  }

  void begin(const Payload& payload, const sc_core::sc_time& delay) {
    Transaction& t = under_way_[&payload];
    t.command = payload.get_command();
    t.address = payload.get_address();
    t.bytes = payload.get_data_length();
    t.begin = sc_core::sc_time_stamp() + delay;
  }
  void end(const Payload& payload, const sc_core::sc_time& delay) {
    const auto found = under_way_.find(&payload);
    if (found == under_way_.end()) return;
    Transaction t = found->second;
    under_way_.erase(found);
    t.status = payload.get_response_status();
    t.end = sc_core::sc_time_stamp() + delay;
    observer_(t);
  }

  const Observer observer_;
  std::map<const Payload*, Transaction> under_way_;
};

}  // namespace spica::adapters
