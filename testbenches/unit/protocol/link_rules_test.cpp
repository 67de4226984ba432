// SPDX-License-Identifier: Apache-2.0
#include "models/protocol/transport/link_rules.h"

#include <string>
#include <vector>

#include "testbenches/support/catch.h"

using namespace spica::protocol;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

struct Link : tlm::tlm_mm_interface {
  Link() { reset(payload), reset(other); }
  void free(tlm::tlm_generic_payload*) override {}
  void reset(tlm::tlm_generic_payload& p) {
    p.set_mm(this);
    p.set_read();
    p.set_address(0x40);
    p.set_data_ptr(data);
    p.set_data_length(4);
    p.set_streaming_width(4);
    p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
  void request(tlm::tlm_generic_payload& p, double at = 0) {
    rules.forward(p, tlm::BEGIN_REQ, sc_time(at, SC_NS));
    rules.forward_returns(p, tlm::TLM_ACCEPTED, tlm::BEGIN_REQ, sc_time(at, SC_NS));
  }
  void end_request(tlm::tlm_generic_payload& p, double at = 0) {
    rules.backward(p, tlm::END_REQ, sc_time(at, SC_NS));
    rules.backward_returns(p, tlm::TLM_ACCEPTED, tlm::END_REQ, sc_time(at, SC_NS));
  }
  void respond(tlm::tlm_generic_payload& p, tlm::tlm_sync_enum result = tlm::TLM_COMPLETED, double at = 0) {
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    rules.backward(p, tlm::BEGIN_RESP, sc_time(at, SC_NS));
    rules.backward_returns(p, result, tlm::BEGIN_RESP, sc_time(at, SC_NS));
  }
  /// The one sentence that was reported.
  std::string finding() const {
    if (findings.size() != 1) return std::to_string(findings.size()) + " findings";
    return findings[0];
  }

  std::vector<std::string> findings;
  LinkRules rules{[this](const std::string& sentence) { findings.push_back(sentence); }};
  tlm::tlm_generic_payload payload, other;
  unsigned char data[4] = {};
};

}  // namespace

TEST_CASE("transactions that keep the rules of the base protocol have no findings") {
  Link link;
  link.request(link.payload);
  link.end_request(link.payload);
  link.request(link.other);
  link.respond(link.payload);
  link.respond(link.other);  // implies END_REQ
  CHECK(link.findings.empty());
  CHECK(link.rules.under_way() == 0);

  link.reset(link.payload);
  link.rules.forward(link.payload, tlm::BEGIN_REQ, sc_time(1, SC_NS));
  link.payload.set_response_status(tlm::TLM_OK_RESPONSE);
  link.rules.forward_returns(link.payload, tlm::TLM_COMPLETED, tlm::BEGIN_REQ, sc_time(5, SC_NS));
  CHECK(link.findings.empty());
  CHECK(link.rules.under_way() == 0);
}

TEST_CASE("each broken rule of a link is a sentence") {
  Link link;
  SECTION("two requests at a time") {
    link.request(link.payload);
    link.request(link.other);
    CHECK_THAT(link.finding(), Catch::Contains("BEGIN_REQ before the request before it has ended"));
  }
  SECTION("the same payload again") {
    link.request(link.payload);
    link.end_request(link.payload);
    link.request(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("under way") && Catch::Contains("0x40, 4 bytes"));
  }
  SECTION("two responses at a time") {
    link.request(link.payload);
    link.end_request(link.payload);
    link.request(link.other);
    link.end_request(link.other);
    link.respond(link.payload, tlm::TLM_ACCEPTED);
    link.respond(link.other);
    CHECK_THAT(link.finding(), Catch::Contains("BEGIN_RESP before the response before it has ended"));
  }
  SECTION("END_REQ twice") {
    link.request(link.payload);
    link.end_request(link.payload);
    link.end_request(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("END_REQ, and the request had ended"));
  }
  SECTION("an answer to nothing") {
    link.respond(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("BEGIN_RESP for a payload that is not under way"));
  }
  SECTION("a phase on the wrong path") {
    link.request(link.payload);
    link.rules.backward(link.payload, tlm::END_RESP, sc_core::SC_ZERO_TIME);
    CHECK_THAT(link.finding(), Catch::Contains("END_RESP on the backward path"));
  }
  SECTION("back in time") {
    link.request(link.payload, 10);
    link.end_request(link.payload, 5);
    CHECK_THAT(link.finding(), Catch::Contains("END_REQ at 5 ns is earlier"));
  }
  SECTION("a request with a status") {
    link.payload.set_response_status(tlm::TLM_OK_RESPONSE);
    link.request(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("TLM_INCOMPLETE_RESPONSE"));
  }
  SECTION("a request without data") {
    link.payload.set_data_ptr(nullptr);
    link.request(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("no data pointer"));
  }
  SECTION("a request without streaming width") {
    link.payload.set_streaming_width(0);
    link.request(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("streaming width 0"));
  }
  SECTION("no memory manager") {
    tlm::tlm_generic_payload bare;
    bare.set_data_ptr(link.data);
    bare.set_data_length(4);
    bare.set_streaming_width(4);
    link.request(bare);
    CHECK_THAT(link.finding(), Catch::Contains("no memory manager"));
  }
  SECTION("a response without a status") {
    link.rules.forward(link.payload, tlm::BEGIN_REQ, sc_core::SC_ZERO_TIME);
    link.rules.forward_returns(link.payload, tlm::TLM_COMPLETED, tlm::BEGIN_REQ, sc_core::SC_ZERO_TIME);
    CHECK_THAT(link.finding(), Catch::Contains("a response comes with TLM_INCOMPLETE_RESPONSE"));
  }
  SECTION("a changed command") {
    link.request(link.payload);
    link.payload.set_write();
    link.respond(link.payload);
    CHECK_THAT(link.finding(), Catch::Contains("have changed since the request"));
  }
}
