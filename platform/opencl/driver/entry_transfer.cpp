// SPDX-License-Identifier: Apache-2.0
// Entry points that move the contents of buffers. Transfers take no simulated time.
#include <cstring>
#include <vector>

#include "platform/opencl/driver/entry_points.h"
#include "platform/opencl/driver/event.h"
#include "platform/opencl/driver/memory.h"
#include "platform/opencl/driver/queue.h"
#include "platform/opencl/driver/rectangle.h"

namespace spica::opencl::entry {

namespace {

constexpr cl_mem_flags kHostReads = CL_MEM_HOST_READ_ONLY, kHostWrites = CL_MEM_HOST_WRITE_ONLY;

/// The parameters that all transfers have.
struct Command {
  cl_command_queue queue;
  cl_command_type type;
  cl_uint waits;
  const cl_event* list;
  cl_event* event;

  void enqueue(std::vector<Ref<_cl_mem>> buffers, HostWork work, bool is_blocking) const {
    queue->enqueue(type, {std::move(work), std::move(buffers)}, waits, list, is_blocking, event);
  }
};

/// The buffer of a command of a queue.
Ref<_cl_mem> buffer_of(cl_command_queue queue, cl_mem buffer) {
  const _cl_command_queue& of = _cl_command_queue::of(queue);
  Ref<_cl_mem> found(&_cl_mem::of(buffer));
  require(found->context == of.context, CL_INVALID_CONTEXT);
  return found;
}

void check_range(const _cl_mem& buffer, std::size_t offset, std::size_t bytes) {
  require(offset <= buffer.size && bytes <= buffer.size - offset, CL_INVALID_VALUE);
}

/// `other`: the flag that allows only the other direction.
void check_host_access(const _cl_mem& buffer, cl_mem_flags other) {
  require((buffer.flags & (other | CL_MEM_HOST_NO_ACCESS)) == 0, CL_INVALID_OPERATION);
}

bool is_blocking(cl_bool blocking) { return blocking != CL_FALSE; }

/// Rows between host memory and a buffer.
struct Rows {
  Rectangle host, device;
  Rectangle::Sizes region;

  template <class Move>
  void for_each(Move&& move) const {
    for (std::size_t slice = 0; slice < region[2]; ++slice)
      for (std::size_t row = 0; row < region[1]; ++row)
        move(host.row(row, slice), device.row(row, slice), region[0]);
  }
};

}  // namespace

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t bytes, void* to, cl_uint waits, const cl_event* list,
                                       cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> from = buffer_of(queue, buffer);
    check_range(*from, offset, bytes);
    require(to != nullptr, CL_INVALID_VALUE);
    check_host_access(*from, kHostWrites);
    const std::uint64_t address = from->address(queue->device) + offset;
    Command{queue, CL_COMMAND_READ_BUFFER, waits, list, event}.enqueue(
        {from}, [=](DeviceMachine& machine) { machine.read(address, to, bytes); }, is_blocking(blocking));
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t bytes, const void* from, cl_uint waits,
                                        const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> to = buffer_of(queue, buffer);
    check_range(*to, offset, bytes);
    require(from != nullptr, CL_INVALID_VALUE);
    check_host_access(*to, kHostReads);
    const std::uint64_t address = to->address(queue->device) + offset;
    Command{queue, CL_COMMAND_WRITE_BUFFER, waits, list, event}.enqueue(
        {to}, [=](DeviceMachine& machine) { machine.write(address, from, bytes); }, is_blocking(blocking));
  });
}

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t* buffer_origin, const size_t* host_origin,
                                           const size_t* region, size_t buffer_row, size_t buffer_slice,
                                           size_t host_row, size_t host_slice, void* to, cl_uint waits,
                                           const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> from = buffer_of(queue, buffer);
    const Rectangle::Sizes sizes = region_of(region);
    const Rows rows{Rectangle(host_origin, sizes, host_row, host_slice),
                    Rectangle(buffer_origin, sizes, buffer_row, buffer_slice), sizes};
    check_range(*from, 0, rows.device.end());
    require(to != nullptr, CL_INVALID_VALUE);
    check_host_access(*from, kHostWrites);
    const std::uint64_t address = from->address(queue->device);
    const auto move = [=](DeviceMachine& machine) {
      rows.for_each([&](std::size_t host, std::size_t device, std::size_t bytes) {
        machine.read(address + device, static_cast<std::byte*>(to) + host, bytes);
      });
    };
    Command{queue, CL_COMMAND_READ_BUFFER_RECT, waits, list, event}.enqueue({from}, move,
                                                                            is_blocking(blocking));
  });
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t* buffer_origin, const size_t* host_origin,
                                            const size_t* region, size_t buffer_row, size_t buffer_slice,
                                            size_t host_row, size_t host_slice, const void* from,
                                            cl_uint waits, const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> to = buffer_of(queue, buffer);
    const Rectangle::Sizes sizes = region_of(region);
    const Rows rows{Rectangle(host_origin, sizes, host_row, host_slice),
                    Rectangle(buffer_origin, sizes, buffer_row, buffer_slice), sizes};
    check_range(*to, 0, rows.device.end());
    require(from != nullptr, CL_INVALID_VALUE);
    check_host_access(*to, kHostReads);
    const std::uint64_t address = to->address(queue->device);
    const auto move = [=](DeviceMachine& machine) {
      rows.for_each([&](std::size_t host, std::size_t device, std::size_t bytes) {
        machine.write(address + device, static_cast<const std::byte*>(from) + host, bytes);
      });
    };
    Command{queue, CL_COMMAND_WRITE_BUFFER_RECT, waits, list, event}.enqueue({to}, move,
                                                                             is_blocking(blocking));
  });
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                       size_t source_offset, size_t target_offset, size_t bytes,
                                       cl_uint waits, const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> from = buffer_of(queue, source), to = buffer_of(queue, target);
    check_range(*from, source_offset, bytes);
    check_range(*to, target_offset, bytes);
    require(bytes != 0, CL_INVALID_VALUE);
    const std::uint64_t read = from->address(queue->device) + source_offset;
    const std::uint64_t written = to->address(queue->device) + target_offset;
    require(read + bytes <= written || written + bytes <= read, CL_MEM_COPY_OVERLAP);
    const auto move = [=](DeviceMachine& machine) {
      std::vector<std::byte> contents(bytes);
      machine.read(read, contents.data(), bytes);
      machine.write(written, contents.data(), bytes);
    };
    Command{queue, CL_COMMAND_COPY_BUFFER, waits, list, event}.enqueue({from, to}, move, false);
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem target,
                                           const size_t* source_origin, const size_t* target_origin,
                                           const size_t* region, size_t source_row, size_t source_slice,
                                           size_t target_row, size_t target_slice, cl_uint waits,
                                           const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> from = buffer_of(queue, source), to = buffer_of(queue, target);
    const Rectangle::Sizes sizes = region_of(region);
    const Rows rows{Rectangle(source_origin, sizes, source_row, source_slice),
                    Rectangle(target_origin, sizes, target_row, target_slice), sizes};
    check_range(*from, 0, rows.host.end());
    check_range(*to, 0, rows.device.end());
    if (from == to) {
      require(rows.host.row_pitch() == rows.device.row_pitch() &&
                  rows.host.slice_pitch() == rows.device.slice_pitch(),
              CL_INVALID_VALUE);
      require(!rows.host.overlaps(rows.device), CL_MEM_COPY_OVERLAP);
    }
    const std::uint64_t read = from->address(queue->device), written = to->address(queue->device);
    const auto move = [=](DeviceMachine& machine) {
      std::vector<std::byte> contents(sizes[0]);
      rows.for_each([&](std::size_t at, std::size_t there, std::size_t bytes) {
        machine.read(read + at, contents.data(), bytes);
        machine.write(written + there, contents.data(), bytes);
      });
    };
    Command{queue, CL_COMMAND_COPY_BUFFER_RECT, waits, list, event}.enqueue({from, to}, move, false);
  });
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                       size_t pattern_bytes, size_t offset, size_t bytes, cl_uint waits,
                                       const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> to = buffer_of(queue, buffer);
    check_range(*to, offset, bytes);
    const bool is_size =
        pattern_bytes != 0 && pattern_bytes <= 128 && (pattern_bytes & (pattern_bytes - 1)) == 0;
    require(pattern != nullptr && is_size, CL_INVALID_VALUE);
    require(offset % pattern_bytes == 0 && bytes % pattern_bytes == 0, CL_INVALID_VALUE);
    const std::uint64_t address = to->address(queue->device) + offset;
    const auto* const first = static_cast<const std::byte*>(pattern);
    const std::vector<std::byte> kept(first, first + pattern_bytes);
    const auto fill = [=](DeviceMachine& machine) {
      std::vector<std::byte> contents(bytes);
      for (std::size_t at = 0; at < bytes; at += pattern_bytes)
        std::memcpy(contents.data() + at, kept.data(), pattern_bytes);
      machine.write(address, contents.data(), bytes);
    };
    Command{queue, CL_COMMAND_FILL_BUFFER, waits, list, event}.enqueue({to}, fill, false);
  });
}

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t bytes, cl_uint waits,
                                     const cl_event* list, cl_event* event, cl_int* error) {
  return object_of(error, [&]() -> void* {
    constexpr cl_map_flags kWrites = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    const Ref<_cl_mem> of = buffer_of(queue, buffer);
    check_range(*of, offset, bytes);
    require(bytes != 0 && (flags & ~(CL_MAP_READ | kWrites)) == 0, CL_INVALID_VALUE);
    const bool invalidates = (flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0;
    require(!invalidates || (flags & (CL_MAP_READ | CL_MAP_WRITE)) == 0, CL_INVALID_VALUE);
    if ((flags & CL_MAP_READ) != 0) check_host_access(*of, kHostWrites);
    if ((flags & kWrites) != 0) check_host_access(*of, kHostReads);
    const std::uint64_t address = of->address(queue->device) + offset;
    std::byte* const pointer = of->host_memory() + offset;
    // Bytes that the host does not write must come back unchanged.
    const auto show = [=](DeviceMachine& machine) {
      if (!invalidates) machine.read(address, pointer, bytes);
    };
    Command{queue, CL_COMMAND_MAP_BUFFER, waits, list, event}.enqueue({of}, show, is_blocking(blocking));
    of->add_mapping({offset, bytes, (flags & kWrites) != 0});
    return pointer;
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem buffer, void* pointer,
                                           cl_uint waits, const cl_event* list, cl_event* event) {
  return status_of([&] {
    const Ref<_cl_mem> of = buffer_of(queue, buffer);
    wait_list_of(*of->context, waits, list);  // an error leaves the mapping
    const _cl_mem::Mapping mapping = of->take_mapping(pointer);
    const std::uint64_t address = of->address(queue->device) + mapping.offset;
    const auto store = [=](DeviceMachine& machine) {
      if (mapping.writes) machine.write(address, pointer, mapping.bytes);
    };
    Command{queue, CL_COMMAND_UNMAP_MEM_OBJECT, waits, list, event}.enqueue({of}, store, false);
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem* buffers,
                                              cl_mem_migration_flags flags, cl_uint waits,
                                              const cl_event* list, cl_event* event) {
  return status_of([&] {
    _cl_command_queue::of(queue);
    require(count != 0 && buffers != nullptr, CL_INVALID_VALUE);
    require((flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)) == 0,
            CL_INVALID_VALUE);
    std::vector<Ref<_cl_mem>> all;
    for (cl_uint at = 0; at < count; ++at) all.push_back(buffer_of(queue, buffers[at]));
    // The worker moves the buffers of a command to its device.
    Command{queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, waits, list, event}.enqueue(
        std::move(all), [](DeviceMachine&) {}, false);
  });
}

}  // namespace spica::opencl::entry
