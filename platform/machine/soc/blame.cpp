// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/soc/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "models/protocol/transport/foreign_call.h"
#include "models/protocol/transport/ports.h"
#include "platform/machine/soc/assembled_machine.h"
#include "platform/machine/soc/soc_plan.h"

namespace spica::soc {

namespace {

/// `text` has `name` in it, as a whole or with something behind a dot.
bool mentions(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == text.size() || (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_'))
      return true;
  }
  return false;
}

/// Finds the user-supplied block that an error is about.
class Blame {
 public:
  Blame(AssembledMachine& machine, const std::exception& error)
      : machine_(machine),
        root_(std::string(machine.name()) + "."),
        what_(protocol::sentence_of(error)),
        text_(what_) {
    if (const auto* foreign = dynamic_cast<const protocol::ForeignError*>(&error)) what_ = foreign->sentence;
    const auto* report = dynamic_cast<const sc_core::sc_report*>(&error);
    if (report != nullptr && report->get_process_name() != nullptr) process_ = report->get_process_name();
  }

  /// Its name in the plan; empty: the error is about none.
  std::string block() const {
    if (const std::string* called = machine_.blocks().called()) return *called;
    for (const auto& slot : machine_.plan().slots())
      if (is_foreign(slot.name) &&
          (mentions(text_, root_ + slot.name) || mentions(process_, root_ + slot.name)))
        return slot.name;
    for (const auto& link : machine_.plan().links()) {
      if (mentions(text_, root_ + link.from) || is_asked_by_a_thread(link.from))
        if (std::string found = behind(link.to); !found.empty()) return found;
      if (mentions(text_, root_ + link.to) && is_foreign(machine_.plan().end(link.from).slot))
        return machine_.plan().end(link.from).slot;
    }
    const base::Component* const ticking = machine_.clock().ticking();
    const std::string name = ticking != nullptr ? std::string(ticking->name()) : "";
    for (const auto& slot : machine_.plan().slots())
      if (is_foreign(slot.name) && name == root_ + slot.name) return slot.name;
    return "";
  }

  std::string sentence(const std::string& block) const {
    std::string hint;
    if (text_.find("port not bound") != std::string::npos)
      hint = "; name the other end of the socket in `links` of the slot";
    else if (text_.find("wait() is only allowed") != std::string::npos)
      hint =
          "; the fast mode calls b_transport outside of a thread: add the time to its delay, or use run.mode cycle";
    return fmt::format("the block '{}' of kind '{}': {}{}", block, machine_.plan().find(block)->kind, what_,
                       hint);
  }

 private:
  bool is_foreign(const std::string& block) const { return soc::is_foreign(machine_.plan(), block); }
  /// A thread in which simple_target_socket calls b_transport has thrown, which does not say whose; a request is there.
  bool is_asked_by_a_thread(const std::string& from) const {
    if (process_.find(".nb2b_thread_") == std::string::npos) return false;
    const auto* const port =
        dynamic_cast<protocol::InitiatorPort*>(sc_core::sc_find_object((root_ + from).c_str()));
    return port != nullptr && port->waits_for_others();
  }
  /// The one at this end of a link, or the first behind the blocks there: behind a bus and a cache, say.
  std::string behind(const std::string& end) const {
    std::vector<std::string> blocks{machine_.plan().end(end).slot};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (is_foreign(blocks[i])) return blocks[i];
      for (const auto& link : machine_.plan().links())
        if (const std::string next = machine_.plan().end(link.to).slot;
            machine_.plan().end(link.from).slot == blocks[i] &&
            std::find(blocks.begin(), blocks.end(), next) == blocks.end())
          blocks.push_back(next);
    }
    return "";
  }

  AssembledMachine& machine_;
  const std::string root_;
  std::string what_;  // for people
  std::string text_;  // with all names
  std::string process_;  // of SystemC that was running
};

}  // namespace

void blame_slot(AssembledMachine& machine, const std::exception& error) {
  const Blame blame(machine, error);
  const std::string block = blame.block();
  if (block.empty()) return;
  if (const auto slot = slot_of(machine.params(), block))
    refuse_slot(machine.params(), *slot, blame.sentence(block));
}

}  // namespace spica::soc
