// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "models/adapters/between.h"
#include "models/protocol/transport/link_rules.h"

namespace spica::adapters {

/// Checks every transport call of a link against the rules of the base protocol (protocol::LinkRules), and forwards it.
///
/// Errors   each violation is one sentence to `report`; without `report` it is an SC_REPORT_ERROR, which ends the run
template <unsigned Width = 32, class Types = tlm::tlm_base_protocol_types>
class ProtocolChecker final : public Between<Width, Types> {
  using Base = Between<Width, Types>;

 public:
  using typename Base::Payload;
  using typename Base::Phase;

  explicit ProtocolChecker(const sc_core::sc_module_name& name, protocol::LinkRules::Report report = {})
      : Base(name), rules_(report ? std::move(report) : [this](const std::string& sentence) {
          SC_REPORT_ERROR("/spica/link", (std::string(this->name()) + ": " + sentence).c_str());
        }) {}

  /// Number of transactions without a response.
  std::size_t under_way() const { return rules_.under_way(); }

 private:
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    rules_.forward(payload, phase, delay);
    const tlm::tlm_sync_enum result = Base::nb_transport_fw(payload, phase, delay);
    rules_.forward_returns(payload, result, phase, delay);
    return result;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, Phase& phase, sc_core::sc_time& delay) override {
    rules_.backward(payload, phase, delay);
    const tlm::tlm_sync_enum result = Base::nb_transport_bw(payload, phase, delay);
    rules_.backward_returns(payload, result, phase, delay);
    return result;
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override {
    rules_.blocking(payload);
    Base::b_transport(payload, delay);
    rules_.blocking_returns(payload);
  }

  protocol::LinkRules rules_;
};

}  // namespace spica::adapters
