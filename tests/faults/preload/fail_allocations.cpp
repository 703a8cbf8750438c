// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preloaded, makes an allocation of a program fail: see plan.hpp. Those of less than GLT_FAULT_BYTES bytes are not counted.
// GLT_FAULT_LEVEL=new (default) fails `new`; malloc fails also what the program, libstdc++, zlib and libzip ask malloc
// for. Memory that MPI or the C library takes for themselves does not fail: what they do then is not what is tested.
#include "plan.hpp"

#include <link.h>

#include <cerrno>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void glt_fault_arm();
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
}

namespace {

struct code_range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

glt_fault::plan events;
std::size_t least_bytes = 0;
bool at_malloc = false;
std::array<code_range, 16> tested_code{};
std::size_t num_tested = 0;
thread_local bool is_busy = false; // noting a failure, which may allocate

// Remembers where the code of the program and of the libraries that it calls for itself lies.
int note_code(dl_phdr_info* of, std::size_t, void*) {
  bool tested = of->dlpi_name[0] == '\0';
  for (char const* name : {"libstdc++", "libzip", "libz.so"}) {
    tested = tested || std::strstr(of->dlpi_name, name) != nullptr;
  }
  for (int i = 0; tested && i < of->dlpi_phnum; ++i) {
    auto const& part = of->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && num_tested < tested_code.size()) {
      tested_code[num_tested++] = {of->dlpi_addr + part.p_vaddr, of->dlpi_addr + part.p_vaddr + part.p_memsz};
    }
  }
  return 0;
}

bool is_tested(void* caller) {
  auto const place = reinterpret_cast<std::uintptr_t>(caller);
  for (std::size_t i = 0; i < num_tested; ++i) {
    if (place >= tested_code[i].begin && place < tested_code[i].end) {
      return true;
    }
  }
  return false;
}

bool fails(std::size_t bytes) {
  if (is_busy || bytes < least_bytes) {
    return false;
  }
  is_busy = true;
  bool const failed = events.fails();
  is_busy = false;
  return failed;
}

bool malloc_fails(std::size_t bytes, void* caller) {
  if (!at_malloc || !events.is_armed() || !is_tested(caller) || !fails(bytes)) {
    return false;
  }
  errno = ENOMEM;
  return true;
}

void* make(std::size_t bytes, std::size_t alignment) {
  if (!at_malloc && fails(bytes)) {
    throw std::bad_alloc();
  }
  if (at_malloc && malloc_fails(bytes, reinterpret_cast<void*>(tested_code[0].begin))) {
    throw std::bad_alloc();
  }
  std::size_t const rounded = (bytes + alignment) / alignment * alignment;
  void* const made = alignment <= alignof(std::max_align_t) ? __libc_malloc(bytes == 0 ? 1 : bytes)
                                                            : std::aligned_alloc(alignment, rounded);
  if (made == nullptr) {
    throw std::bad_alloc();
  }
  return made;
}

__attribute__((constructor)) void start() {
  least_bytes = static_cast<std::size_t>(glt_fault::number_of("GLT_FAULT_BYTES", 0));
  char const* const level = std::getenv("GLT_FAULT_LEVEL");
  at_malloc = level != nullptr && std::strcmp(level, "malloc") == 0;
  dl_iterate_phdr(note_code, nullptr);
  events.prepare();
}

__attribute__((destructor)) void finish() {
  events.finish();
}

} // namespace

void glt_fault_arm() {
  events.arm();
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  using function = int (*)(int*, char***, int, int*);
  auto const next = reinterpret_cast<function>(dlsym(RTLD_NEXT, "MPI_Init_thread"));
  int const code = next(argc, argv, required, provided);
  events.arm_after_mpi();
  return code;
}

void* malloc(std::size_t bytes) {
  return malloc_fails(bytes, __builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
  return malloc_fails(count * bytes, __builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* block, std::size_t bytes) {
  return malloc_fails(bytes, __builtin_return_address(0)) ? nullptr : __libc_realloc(block, bytes);
}

// Every other form of new calls these; delete is that of libstdc++, which frees.
void* operator new(std::size_t bytes) {
  return make(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return make(bytes, static_cast<std::size_t>(alignment));
}
