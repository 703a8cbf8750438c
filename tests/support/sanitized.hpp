// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// GLT_TEST_SANITIZED where a sanitizer takes memory and time of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GLT_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GLT_TEST_SANITIZED 1
#endif
#endif
