// How a failure becomes a status and a message of the C interface.
#pragma once

#include <exception>
#include <new>
#include <string_view>

#include "hearsay/error.h"
#include "hearsay/hearsay.h"

namespace hearsay::c_api {

// A failure of the C interface. `name` and `message` are only read while the failure is written.
hearsay_status fail(hearsay_error* error, hearsay_status status, std::string_view name,
                    std::string_view message) noexcept;

inline hearsay_status refuse(hearsay_error* error, std::string_view message) noexcept {
  return fail(error, HEARSAY_INVALID_ARGUMENT, "invalid_argument", message);
}

// An error of the library. `usual` is the status of those that have none of their own.
hearsay_status fail(hearsay_error* error, const Error& problem, hearsay_status usual) noexcept;

// Runs `work`, which returns a status. Exceptions become HEARSAY_NO_MEMORY and HEARSAY_INTERNAL.
template <class Work>
hearsay_status guard(hearsay_error* error, Work work) noexcept {
  if (error != nullptr && error->size < sizeof(hearsay_error)) return HEARSAY_INVALID_ARGUMENT;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(error, HEARSAY_NO_MEMORY, "no_memory", "there is not enough memory");
  } catch (const std::exception& exception) {
    return fail(error, HEARSAY_INTERNAL, "internal", exception.what());
  } catch (...) {
    return fail(error, HEARSAY_INTERNAL, "internal", "an unknown exception");
  }
}

}  // namespace hearsay::c_api
