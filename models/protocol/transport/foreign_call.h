// SPDX-License-Identifier: Apache-2.0
// Calls to user-supplied modules. An error in them is reported with the socket through which they were called; only the
// socket identifies the module at fault.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tlm>

#include "models/base/invariant.h"

namespace spica::protocol {

/// The message of an exception in one line; without the source line that SystemC adds.
inline std::string sentence_of(const std::exception& error) {
  const auto* const report = dynamic_cast<const sc_core::sc_report*>(&error);
  if (report == nullptr) return error.what();
  std::string text = std::string(report->get_msg_type()) + ": " + report->get_msg(), line;
  for (const char c : text)
    if (const char plain = c == '\n' ? ' ' : c; plain != ' ' || line.empty() || line.back() != ' ')
      line += plain;
  return line;
}

/// An error of a user-supplied module.
class ForeignError final : public std::runtime_error {
 public:
  /// `socket`: the socket of the call. `what`: the rest of the sentence, "throws: ...".
  ForeignError(const sc_core::sc_object& socket, const std::string& what)
      : runtime_error(std::string(socket.name()) + ": the module behind it " + what),
        sentence("it " + what) {}
  std::string sentence;  // the message without the socket
};

/// Calls the module, and turns its exceptions into ForeignError.
template <class Call>
auto call_foreign(const sc_core::sc_object& socket, Call&& call) {
  try {
    return call();
  } catch (const ForeignError&) {  // from a module behind it
    throw;
  } catch (const base::BrokenInvariant&) {  // from one of our blocks behind it
    throw;
  } catch (const std::bad_alloc&) {  // the host is out of memory
    throw;
  } catch (const sc_core::sc_unwind_exception&) {  // SystemC ends the process
    throw;
  } catch (const std::exception& error) {
    throw ForeignError(socket, "throws: " + sentence_of(error));
  }
}

/// Throws ForeignError if a request comes back from a user-supplied module without a response status.
inline void require_response(const sc_core::sc_object& socket, const tlm::tlm_generic_payload& payload) {
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) return;
  throw ForeignError(
      socket,
      "answers without a response status: call set_response_status() with tlm::TLM_OK_RESPONSE or an error");
}

}  // namespace spica::protocol
