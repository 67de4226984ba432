// SPDX-License-Identifier: Apache-2.0
// Pooled payloads. An initiator block owns a pool, takes a payload per request and drops it when the response has come.
// The memory manager of TLM-2.0 returns it to the pool.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tlm>
#include <typeinfo>
#include <vector>

#include "models/base/objects.h"
#include "models/protocol/payload/request_info.h"
#include "models/protocol/payload/route_stack.h"
#include "models/protocol/payload/warp_access.h"

namespace spica::protocol {

inline constexpr unsigned kMaxLineBytes = 128;

/// A payload with its RequestInfo.
class PooledPayload : public Payload {
 public:
  explicit PooledPayload(tlm::tlm_mm_interface* pool) : Payload(pool) { set_extension(&info); }
  ~PooledPayload() override { clear_extension(&info); }

  RequestInfo info;

 protected:
  /// The members that every kind of payload has; byte enables belong to one kind only.
  template <class Archive>
  void serialize_request(Archive& archive) {
    tlm::tlm_command command = get_command();
    tlm::tlm_response_status status = get_response_status();
    std::uint64_t address = get_address();
    std::uint32_t bytes = get_data_length(), width = get_streaming_width();
    bool dmi = is_dmi_allowed();
    archive(command, status, address, bytes, width, dmi, info);
    set_command(command);
    set_response_status(status);
    set_address(address);
    set_data_length(bytes);
    set_streaming_width(width);
    set_dmi_allowed(dmi);
    RouteStack::serialize(archive, *this);
  }

 private:
  template <class Item>
  friend class PayloadPool;
  /// The initiator's mark and the reference count.
  template <class Archive>
  void serialize_owners(Archive& archive) {
    std::int32_t holders = get_ref_count();
    archive(taken_, holders);
    have_holders(holders);
  }
  void have_holders(std::int32_t holders) {  // at least one reference
    while (get_ref_count() < holders) acquire();
    while (get_ref_count() > holders) release();
  }
  bool taken_ = false;  // taken from the pool by its initiator
  PooledPayload* next_ = nullptr;  // next in the free list
};

/// A payload with its own data buffer (up to 128 bytes) and byte enables, for one line or part of one.
class LinePayload final : public PooledPayload {
 public:
  explicit LinePayload(tlm::tlm_mm_interface* pool) : PooledPayload(pool) { set_data_ptr(data.data()); }

  /// Prepares a transfer of `bytes` bytes at `address`, all bytes enabled.
  void setup(tlm::tlm_command command, std::uint64_t address, unsigned bytes, const Origin& origin) {
    set_command(command);
    set_address(address);
    set_data_length(bytes);
    set_streaming_width(bytes);
    set_byte_enable_ptr(nullptr);
    set_byte_enable_length(0);
    set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    set_dmi_allowed(false);
    info.origin = origin;
    info.atomic = Atomic::kNone;
    info.timing_only = false;
    info.sectors = info.fetched = 0;
  }
  /// Switches to partial writes: clears all byte enables and makes them effective.
  void use_byte_enables() {
    std::memset(enables.data(), 0, get_data_length());
    set_byte_enable_ptr(enables.data());
    set_byte_enable_length(get_data_length());
  }

  /// Disables all bytes: the transfer takes its time and moves nothing.
  void disable_bytes() {
    static unsigned char none = TLM_BYTE_DISABLED;
    set_byte_enable_ptr(&none);
    set_byte_enable_length(1);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    serialize_request(archive);
    const unsigned char* const pointer = get_byte_enable_ptr();
    bool partial = pointer == enables.data(), disabled = pointer != nullptr && !partial;
    archive(partial, disabled, data, enables);
    if constexpr (Archive::is_loading::value) {
      set_byte_enable_ptr(partial ? enables.data() : nullptr);
      set_byte_enable_length(partial ? get_data_length() : 0);
      if (disabled) disable_bytes();
    }
  }

  alignas(64) std::array<unsigned char, kMaxLineBytes> data{};
  alignas(64) std::array<unsigned char, kMaxLineBytes> enables{};
};

/// A payload for one warp instruction; see WarpAccess.
class WarpPayload final : public PooledPayload {
 public:
  explicit WarpPayload(tlm::tlm_mm_interface* pool) : PooledPayload(pool) {
    set_extension(&access);
    set_data_ptr(reinterpret_cast<unsigned char*>(access.data.data()));
    set_data_length(4 * kMaxLanes);
    set_streaming_width(4 * kMaxLanes);
  }
  ~WarpPayload() override { clear_extension(&access); }
  template <class Archive>
  void serialize(Archive& archive) {
    serialize_request(archive);
    archive(access);
  }

  alignas(64) WarpAccess access;  // the addresses of eight lanes in one cache line, their data in another
};

/// The payload's RequestInfo. Nearly all payloads are of the two classes above; testing for them is cheaper than asking
/// for the extension.
inline const RequestInfo& info_of(const Payload& payload) {
  const std::type_info* const type = &typeid(payload);
  if (type == &typeid(LinePayload) || type == &typeid(WarpPayload))
    return static_cast<const PooledPayload&>(payload).info;
  const RequestInfo* info = payload.get_extension<RequestInfo>();
  return info != nullptr ? *info : kNeutralRequestInfo;
}
/// The payload's WarpAccess, or nullptr.
inline WarpAccess* access_of(Payload& payload) {
  if (&typeid(payload) == &typeid(WarpPayload)) return &static_cast<WarpPayload&>(payload).access;
  return payload.get_extension<WarpAccess>();
}

/// Free list of payloads of one kind. take() returns one with a reference count of 1; drop() releases the initiator's
/// reference. Free payloads keep a count of 1: nearly always a dropped payload has no other holder, so the count need
/// not change.
template <class Item>
class PayloadPool final : public tlm::tlm_mm_interface {
 public:
  Item& take() {
    if (free_ == nullptr) make();
    PooledPayload* const item = free_;
    free_ = item->next_;
    item->taken_ = true;
    return static_cast<Item&>(*item);
  }
  void drop(Item& item) {
    item.taken_ = false;
    if (item.get_ref_count() == 1) put(item);
    else item.release();
  }
  /// Drops all payloads in use, for a reset.
  void drop_all() {
    for (const auto& item : all_)
      if (item->taken_) drop(*item);
  }
  /// Called by the payload when its last reference is released.
  void free(Payload* payload) override {
    payload->acquire();
    put(static_cast<Item&>(*payload));
  }
  std::size_t in_use() const {
    std::size_t count = all_.size();
    for (const PooledPayload* item = free_; item != nullptr; item = item->next_) --count;
    return count;
  }

  /// Visits all payloads, in use or free.
  template <class Function>
  void for_each(Function&& function) {
    for (const auto& item : all_) function(*item);
  }
  /// Adds its payloads to the objects of a checkpoint (base::Block::objects()).
  template <class Checkpoint>
  void add_to(Checkpoint& checkpoint) {
    auto count = static_cast<std::uint32_t>(all_.size());
    checkpoint(count);
    while (all_.size() < count) make();
    for (std::size_t i = 0; i < count; ++i) checkpoint.objects().add(static_cast<Payload*>(all_[i].get()));
  }
  /// Saves or loads their contents and reference counts.
  template <class Archive>
  void serialize(Archive& archive) {
    auto count = static_cast<std::uint32_t>(all_.size());
    archive(count);
    for (std::size_t i = 0; i < count; ++i) {
      archive(*all_[i]);
      all_[i]->serialize_owners(archive);
    }
    serialize_free(archive, count);
  }

 private:
  void put(PooledPayload& item) {
    item.next_ = free_;
    free_ = &item;
  }
  [[gnu::noinline]] void make() {
    all_.push_back(std::make_unique<Item>(this));
    free(all_.back().get());
  }
  template <class Archive>
  void serialize_free(Archive& archive, std::size_t count) {
    std::vector<PooledPayload*> items;
    if constexpr (Archive::is_saving::value)
      for (PooledPayload* item = free_; item != nullptr; item = item->next_) items.push_back(item);
    archive(items);
    free_ = nullptr;
    for (std::size_t i = count; i < all_.size(); ++i) {  // loading: payloads made after the checkpoint
      all_[i]->info = RequestInfo();
      all_[i]->taken_ = false;
      all_[i]->have_holders(1);
      put(*all_[i]);
    }
    for (auto item = items.rbegin(); item != items.rend(); ++item) put(static_cast<Item&>(**item));
  }

  std::vector<std::unique_ptr<Item>> all_;
  PooledPayload* free_ = nullptr;  // most recently returned first, because it is in the host's cache
};

using LinePool = PayloadPool<LinePayload>;
using WarpPool = PayloadPool<WarpPayload>;

}  // namespace spica::protocol

SPICA_CHECKPOINT_POINTER(tlm::tlm_generic_payload, tlm::tlm_generic_payload)
SPICA_CHECKPOINT_POINTER(spica::protocol::PooledPayload, tlm::tlm_generic_payload)
SPICA_CHECKPOINT_POINTER(spica::protocol::LinePayload, tlm::tlm_generic_payload)
SPICA_CHECKPOINT_POINTER(spica::protocol::WarpPayload, tlm::tlm_generic_payload)
SPICA_CHECKPOINT_POINTER(const spica::protocol::WarpPayload, tlm::tlm_generic_payload)
