// SPDX-License-Identifier: Apache-2.0
// The common part of all OpenCL objects, and errors of entry points.
#pragma once

#include <CL/cl_icd.h>

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstdint>
#include <exception>
#include <new>
#include <string>

namespace spica::opencl {

/// The table of entry points (dispatch.cpp).
extern const cl_icd_dispatch kDispatch;

/// An error code for the caller of an entry point.
class ClError : public std::exception {
 public:
  explicit ClError(cl_int error) : code(error) {}
  const char* what() const noexcept override { return "an OpenCL error code"; }
  cl_int code;
};

/// Throws ClError(error) unless `is_met`.
inline void require(bool is_met, cl_int error) {
  if (!is_met) throw ClError(error);
}

/// Writes a message for the user to standard error: "spica: ...".
void report_error(const std::string& text);

/// The error code of the exception that is being handled.
cl_int current_error() noexcept;

/// Calls the body of an entry point that returns an error code.
template <class Body>
cl_int status_of(Body&& body) noexcept {
  try {
    body();
    return CL_SUCCESS;
  } catch (...) {
    return current_error();
  }
}

/// Calls the body of an entry point that returns a handle or a pointer; null on an error.
template <class Body>
auto object_of(cl_int* error, Body&& body) noexcept -> decltype(body()) {
  decltype(body()) object = nullptr;
  const cl_int status = status_of([&] { object = body(); });
  if (error != nullptr) *error = status;
  return status == CL_SUCCESS ? object : nullptr;
}

template <class T>
using Ref = boost::intrusive_ptr<T>;

/// Base of the handle types. The standard's reference count is that of the application; the driver's own
/// references (Ref) keep an object alive without changing it. `invalid`: error for a handle that is not of
/// this type.
template <class Self, cl_int invalid>
class Object {
 public:
  const cl_icd_dispatch* const dispatch = &kDispatch;  // first, because the loader reads it

  /// The object of a handle. Throws ClError(invalid).
  static Self& of(Self* handle) {
    require(handle != nullptr && handle->dispatch == &kDispatch && handle->invalid_ == invalid, invalid);
    return *handle;
  }

  /// Also after the last release, while the driver keeps the object: a queue returns its context.
  void retain() {
    if (references_++ == 0) intrusive_ptr_add_ref(static_cast<Self*>(this));
  }
  void release() {
    if (--references_ == 0) intrusive_ptr_release(static_cast<Self*>(this));
  }
  cl_uint references() const { return references_; }

  friend void intrusive_ptr_add_ref(Self* object) { ++object->uses_; }
  friend void intrusive_ptr_release(Self* object) {
    if (--object->uses_ == 0) delete object;
  }

  Object(const Object&) = delete;  // NOLINT(bugprone-crtp-constructor-accessibility): it makes none
  Object& operator=(const Object&) = delete;

 private:
  friend Self;  // only it is an Object of this type
  Object() = default;
  ~Object() = default;

  const cl_int invalid_ = invalid;
  std::atomic<cl_uint> references_{1};
  std::atomic<cl_uint> uses_{1};  // of the driver; the application counts as one
};

/// A new object, owned by the application.
template <class T, class... Arguments>
T* create(Arguments&&... arguments) {
  return new T(std::forward<Arguments>(arguments)...);
}

}  // namespace spica::opencl
