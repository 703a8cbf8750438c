// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#if defined(GLT_TEST_NCCL)

#include "support/errors.hpp"

#include <glt/nccl/detail/error.hpp>

#include <type_traits>

using namespace glt;
using namespace glt_test;

TEST_CASE("a failed call of NCCL throws with its name, its code and NCCL's text") {
  static_assert(std::is_base_of_v<error, library_error>);
  CHECK_NOTHROW(detail::check_nccl(ncclSuccess, "nothing"));
  CHECK_NOTHROW(detail::check_nccl(ncclInProgress, "nothing"));
  CHECK_NOTHROW(detail::forget_nccl(ncclSystemError));
  CHECK(names(thrown<library_error>([] { detail::check_nccl(ncclInvalidArgument, "ncclSend"); }),
              "ncclSend failed with code 4: invalid argument"));
  try {
    detail::check_nccl(ncclRemoteError, "ncclRecv");
    CHECK_MESSAGE(false, "nothing was thrown");
  } catch (library_error const& failure) {
    CHECK(failure.call() == "ncclRecv");
    CHECK(failure.code() == ncclRemoteError);
    CHECK(names(failure.where().file_name(), "error.cpp"));
  }
}

TEST_CASE("a call of NCCL that really fails says why") {
  CHECK(names(thrown<library_error>([] { detail::check_nccl(ncclGetVersion(nullptr), "ncclGetVersion"); }),
              "ncclGetVersion failed with code 4"));
}

#endif
