// SPDX-License-Identifier: Apache-2.0
#include "platform/opencl/driver/device_info.h"

#include <CL/cl_ext.h>
#include <spica/version.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "platform/opencl/driver/allocator.h"

namespace spica::opencl {

namespace {

using Value = std::function<void(const _cl_device_id&, const Answer&)>;

constexpr cl_version kVersion = CL_MAKE_VERSION(3, 0, 0);
constexpr cl_version kExtensionVersion = CL_MAKE_VERSION(1, 0, 0);
constexpr std::array kExtensions = {"cl_khr_byte_addressable_store",
                                    "cl_khr_fp64",
                                    "cl_khr_global_int32_base_atomics",
                                    "cl_khr_global_int32_extended_atomics",
                                    "cl_khr_icd",
                                    "cl_khr_local_int32_base_atomics",
                                    "cl_khr_local_int32_extended_atomics",
                                    "cl_khr_subgroups",
                                    "cl_khr_subgroup_shuffle",
                                    "cl_khr_extended_versioning"};
/// Of OpenCL C 3.0, as the compiler defines them (platform/workloads/opencl/commands.cpp).
constexpr std::array kFeatures = {"__opencl_c_atomic_order_acq_rel",
                                  "__opencl_c_atomic_order_seq_cst",
                                  "__opencl_c_atomic_scope_device",
                                  "__opencl_c_fp64",
                                  "__opencl_c_generic_address_space",
                                  "__opencl_c_int64",
                                  "__opencl_c_program_scope_global_variables",
                                  "__opencl_c_subgroups",
                                  "__opencl_c_work_group_collective_functions"};
constexpr cl_device_atomic_capabilities kAtomics =
    CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
    CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE;
constexpr std::uint64_t kAddressBits = 32;
constexpr std::size_t kParameterBytes = 1024;  // the least that the standard allows
constexpr std::uint64_t kLeastConstantBytes = 65536;
constexpr std::size_t kGlobalVariableBytes = 65536;  // the least that the standard allows

cl_name_version named(const char* name, cl_version version) {
  cl_name_version entry{};
  entry.version = version;
  std::strncpy(entry.name, name, sizeof entry.name - 1);
  return entry;
}

std::string extensions() {
  std::string text;
  for (const char* name : kExtensions) text += std::string(text.empty() ? "" : " ") + name;
  return text;
}

template <std::size_t n>
std::vector<cl_name_version> with_version(const std::array<const char*, n>& names, cl_version version) {
  std::vector<cl_name_version> all;
  for (const char* name : names) all.push_back(named(name, version));
  return all;
}

std::vector<cl_name_version> language_versions() {
  std::vector<cl_name_version> all;
  for (const unsigned minor : {0, 1, 2}) all.push_back(named("OpenCL C", CL_MAKE_VERSION(1, minor, 0)));
  all.push_back(named("OpenCL C", kVersion));
  return all;
}

/// A quarter of memory, as the standard allows, or more: the whole range is one.
std::uint64_t largest_buffer(const _cl_device_id& device) {
  return device.facts().memory_bytes / Allocator::kAlignment * Allocator::kAlignment;
}

template <class T>
Value constant(const T& value) {
  return [value](const _cl_device_id&, const Answer& answer) { answer(value); };
}

/// A value of the machine.
template <class T>
Value fact(T (*get)(const DeviceFacts&)) {
  return [get](const _cl_device_id& device, const Answer& answer) { answer(get(device.facts())); };
}

constexpr cl_device_fp_config kSingle =
    CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;

/// Functions of the compiler's library compute it.
constexpr cl_device_fp_config kDouble =
    CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST | CL_FP_FMA | CL_FP_SOFT_FLOAT;

void add_machine(std::map<cl_device_info, Value>& table) {
  table[CL_DEVICE_TYPE] = [](const _cl_device_id& device, const Answer& answer) { answer(device.type()); };
  table[CL_DEVICE_NAME] = [](const _cl_device_id& device, const Answer& answer) { answer(device.name()); };
  table[CL_DEVICE_MAX_COMPUTE_UNITS] =
      fact<cl_uint>([](const DeviceFacts& facts) { return facts.compute_units; });
  table[CL_DEVICE_MAX_WORK_GROUP_SIZE] =
      fact<std::size_t>([](const DeviceFacts& facts) -> std::size_t { return facts.max_group_items; });
  table[CL_DEVICE_MAX_WORK_ITEM_SIZES] = [](const _cl_device_id& device, const Answer& answer) {
    answer(std::vector<std::size_t>(3, device.facts().max_group_items));
  };
  table[CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE] =
      fact<std::size_t>([](const DeviceFacts& facts) -> std::size_t { return facts.warp_lanes; });
  table[CL_DEVICE_MAX_NUM_SUB_GROUPS] = fact<cl_uint>([](const DeviceFacts& facts) {
    return (facts.max_group_items + facts.warp_lanes - 1) / facts.warp_lanes;
  });
  table[CL_DEVICE_MAX_CLOCK_FREQUENCY] =
      fact<cl_uint>([](const DeviceFacts& facts) { return facts.clock_mhz; });
  table[CL_DEVICE_GLOBAL_MEM_SIZE] =
      fact<cl_ulong>([](const DeviceFacts& facts) { return facts.memory_bytes; });
  table[CL_DEVICE_MAX_MEM_ALLOC_SIZE] = [](const _cl_device_id& device, const Answer& answer) {
    answer(cl_ulong{largest_buffer(device)});
  };
  table[CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE] = [](const _cl_device_id& device, const Answer& answer) {
    answer(cl_ulong{std::max(kLeastConstantBytes, largest_buffer(device))});
  };
  table[CL_DEVICE_LOCAL_MEM_SIZE] =
      fact<cl_ulong>([](const DeviceFacts& facts) { return facts.local_bytes; });
  table[CL_DEVICE_GLOBAL_MEM_CACHE_TYPE] = fact<cl_device_mem_cache_type>([](const DeviceFacts& facts) {
    return static_cast<cl_device_mem_cache_type>(facts.cache_bytes == 0 ? CL_NONE : CL_READ_WRITE_CACHE);
  });
  table[CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE] =
      fact<cl_uint>([](const DeviceFacts& facts) { return facts.cache_line_bytes; });
  table[CL_DEVICE_GLOBAL_MEM_CACHE_SIZE] =
      fact<cl_ulong>([](const DeviceFacts& facts) { return facts.cache_bytes; });
}

void add_numbers(std::map<cl_device_info, Value>& table) {
  // A lane works on one element at a time.
  for (const cl_device_info name :
       {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE})
    table[name] = constant(cl_uint{1});
  // No half, images, pipes and queues on the device.
  for (const cl_device_info name :
       {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
        CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS,
        CL_DEVICE_MAX_SAMPLERS, CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
        CL_DEVICE_MAX_PIPE_ARGS, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, CL_DEVICE_PIPE_MAX_PACKET_SIZE,
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
        CL_DEVICE_MAX_ON_DEVICE_QUEUES, CL_DEVICE_MAX_ON_DEVICE_EVENTS, CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT,
        CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT})
    table[name] = constant(cl_uint{0});
  for (const cl_device_info name :
       {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH,
        CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE})
    table[name] = constant(std::size_t{0});
  for (const cl_device_info name :
       {CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, CL_DEVICE_SVM_CAPABILITIES,
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_PARTITION_AFFINITY_DOMAIN})
    table[name] = constant(cl_ulong{0});
  table[CL_DEVICE_SINGLE_FP_CONFIG] = constant(kSingle);
  table[CL_DEVICE_DOUBLE_FP_CONFIG] = constant(kDouble);
  table[CL_DEVICE_VENDOR_ID] = constant(cl_uint{0x53504943});  // no PCI vendor: "SPIC"
  table[CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS] = constant(cl_uint{3});
  table[CL_DEVICE_ADDRESS_BITS] = constant(cl_uint{kAddressBits});
  table[CL_DEVICE_MAX_PARAMETER_SIZE] = constant(kParameterBytes);
  table[CL_DEVICE_MEM_BASE_ADDR_ALIGN] = constant(static_cast<cl_uint>(8 * Allocator::kAlignment));  // bits
  table[CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE] = constant(static_cast<cl_uint>(Allocator::kAlignment));
  table[CL_DEVICE_MAX_CONSTANT_ARGS] =
      constant(static_cast<cl_uint>(kParameterBytes / sizeof(std::uint32_t)));
  table[CL_DEVICE_LOCAL_MEM_TYPE] = constant(cl_device_local_mem_type{CL_LOCAL});
  table[CL_DEVICE_PROFILING_TIMER_RESOLUTION] = constant(std::size_t{1});  // ns of simulated time
  table[CL_DEVICE_PRINTF_BUFFER_SIZE] = constant(std::size_t{1} << 20);
  table[CL_DEVICE_REFERENCE_COUNT] = constant(cl_uint{1});
  table[CL_DEVICE_EXECUTION_CAPABILITIES] = constant(cl_device_exec_capabilities{CL_EXEC_KERNEL});
  table[CL_DEVICE_QUEUE_ON_HOST_PROPERTIES] = constant(
      cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE});
  table[CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES] = constant(kAtomics);
  table[CL_DEVICE_ATOMIC_FENCE_CAPABILITIES] = constant(kAtomics | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM);
  for (const cl_device_info name :
       {CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE})
    table[name] = constant(kGlobalVariableBytes);
}

void add_names(std::map<cl_device_info, Value>& table) {
  for (const cl_device_info name : {CL_DEVICE_IMAGE_SUPPORT, CL_DEVICE_ERROR_CORRECTION_SUPPORT,
                                    CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
                                    CL_DEVICE_PIPE_SUPPORT, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS})
    table[name] = constant(cl_bool{CL_FALSE});
  for (const cl_device_info name :
       {CL_DEVICE_ENDIAN_LITTLE, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT,
        CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE,
        CL_DEVICE_LINKER_AVAILABLE, CL_DEVICE_PREFERRED_INTEROP_USER_SYNC})
    table[name] = constant(cl_bool{CL_TRUE});
  for (const cl_device_info name :
       {CL_DEVICE_BUILT_IN_KERNELS, CL_DEVICE_IL_VERSION, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED})
    table[name] = constant(std::string());
  for (const cl_device_info name : {CL_DEVICE_ILS_WITH_VERSION, CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION})
    table[name] = constant(std::vector<cl_name_version>());
  table[CL_DEVICE_PARTITION_PROPERTIES] = constant(std::vector<cl_device_partition_property>(1, 0));
  table[CL_DEVICE_PARTITION_TYPE] = constant(std::vector<cl_device_partition_property>());
  table[CL_DEVICE_PARENT_DEVICE] = constant(cl_device_id{nullptr});
  table[CL_DEVICE_PLATFORM] = [](const _cl_device_id&, const Answer& answer) {
    answer(cl_platform_id{&_cl_platform_id::instance()});
  };
  table[CL_DEVICE_VENDOR] = constant(std::string("Spica"));
  table[CL_DEVICE_PROFILE] = constant(std::string("FULL_PROFILE"));
  table[CL_DRIVER_VERSION] = constant(std::string(SPICA_VERSION));
  table[CL_DEVICE_VERSION] = constant(std::string("OpenCL 3.0 Spica " SPICA_VERSION));
  table[CL_DEVICE_NUMERIC_VERSION] = constant(kVersion);
  table[CL_DEVICE_OPENCL_C_VERSION] = constant(std::string("OpenCL C 1.2 Spica " SPICA_VERSION));
  table[CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR] = constant(cl_version{CL_MAKE_VERSION(1, 2, 0)});
  table[CL_DEVICE_OPENCL_C_ALL_VERSIONS] = constant(language_versions());
  table[CL_DEVICE_OPENCL_C_FEATURES] = constant(with_version(kFeatures, kVersion));
  table[CL_DEVICE_EXTENSIONS] = constant(extensions());
  table[CL_DEVICE_EXTENSIONS_WITH_VERSION] = constant(with_version(kExtensions, kExtensionVersion));
}

const std::map<cl_device_info, Value>& values() {
  static const auto* const table = [] {
    auto* const made = new std::map<cl_device_info, Value>;
    add_machine(*made);
    add_numbers(*made);
    add_names(*made);
    return made;
  }();
  return *table;
}

}  // namespace

void platform_info(cl_platform_info name, const Answer& answer) {
  switch (name) {
    case CL_PLATFORM_PROFILE: return answer("FULL_PROFILE");
    case CL_PLATFORM_VERSION: return answer("OpenCL 3.0 Spica " SPICA_VERSION);
    case CL_PLATFORM_NUMERIC_VERSION: return answer(kVersion);
    case CL_PLATFORM_NAME:
    case CL_PLATFORM_VENDOR: return answer("Spica");
    case CL_PLATFORM_EXTENSIONS: return answer(extensions());
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION: return answer(with_version(kExtensions, kExtensionVersion));
    case CL_PLATFORM_ICD_SUFFIX_KHR: return answer("SPICA");
    case CL_PLATFORM_HOST_TIMER_RESOLUTION: return answer(cl_ulong{1});
    default: throw ClError(CL_INVALID_VALUE);
  }
}

void device_info(const _cl_device_id& device, cl_device_info name, const Answer& answer) {
  const auto found = values().find(name);
  require(found != values().end(), CL_INVALID_VALUE);
  found->second(device, answer);
}

}  // namespace spica::opencl
