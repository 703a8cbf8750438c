# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by tests/gpu.sh and bench/gpu.sh, which run on machines with a GPU, nvcc and CMake, and perhaps nothing else.

# read_gpu_arguments <script> <folder> [argument...]: sets build and json, empty if they are not given; relative paths are
# of the folder.
read_gpu_arguments() {
  local script=$1 folder=$2
  shift 2
  build= json=
  while [ $# -gt 0 ]; do
    if [ $# -lt 2 ] || { [ "$1" != --json ] && [ "$1" != --build ]; }; then
      printf 'usage: %s [--json FILE] [--build FOLDER]\n' "$script" >&2
      exit 2
    fi
    printf -v "${1#--}" '%s' "$(cd "$folder" && realpath -m "$2")"
    shift 2
  done
}

# find_cuda: sets nvcc, sanitizer (empty if there is none), gpu, driver and architectures; stops where a tool is missing.
find_cuda() {
  local path
  nvcc=
  for path in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    if [ -n "$path" ] && [ -x "$path" ]; then
      nvcc=$path
      break
    fi
  done
  if [ -z "$nvcc" ]; then
    printf 'error: no nvcc; install a CUDA toolkit (12.4 or newer), or name one by CUDACXX=<path>/bin/nvcc\n' >&2
    exit 3
  fi
  if ! command -v cmake > /dev/null; then
    printf 'error: no cmake; install CMake 3.25 or newer\n' >&2
    exit 3
  fi
  sanitizer=$(command -v compute-sanitizer || true)
  if [ -z "$sanitizer" ] && [ -x "$(dirname "$nvcc")/compute-sanitizer" ]; then
    sanitizer=$(dirname "$nvcc")/compute-sanitizer
  fi
  gpu= driver= architectures='80-real;90'
  if command -v nvidia-smi > /dev/null && nvidia-smi > /dev/null 2>&1; then
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
    architectures=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')
  fi
}

# build_with_cuda <folder> <log> <option>...: configures and builds for the GPU at hand; stops with the faults.
build_with_cuda() {
  local build=$1 log=$2 generator=()
  shift 2
  if command -v ninja > /dev/null && ! [ -e "$build/CMakeCache.txt" ]; then
    generator=(-G Ninja)
  fi
  mkdir -p "$build"
  if ! cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_COMPILER="$nvcc" \
    "-DCMAKE_CUDA_ARCHITECTURES=$architectures" -DGLT_CUDA=ON -DGLT_THRUST=ON -DGLT_MPI=OFF -DGLT_IO=OFF -DGLT_METIS=OFF \
    -DGLT_TORCH=OFF -DGLT_BUILD_EXAMPLES=OFF -DGLT_BUILD_PARTITION=OFF -DGLT_HOST_PROGRAMS=OFF "$@" > "$log" 2>&1; then
    tail -n 30 "$log" >&2
    printf 'error: cannot be configured (the whole log is %s)\n' "$log" >&2
    exit 1
  fi
  if ! cmake --build "$build" -j "$(nproc)" >> "$log" 2>&1; then
    grep -E -A 12 'error|FAILED' "$log" | head -n 100 >&2 || true
    printf 'error: does not build (the whole log is %s)\n' "$log" >&2
    exit 1
  fi
}

# json_text <text>: the text as a string of JSON.
json_text() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# machine_json: one line that says where figures come from.
machine_json() {
  printf '{"gpu": %s, "driver": %s, "nvcc": %s, "processor": %s, "date": "%s"}' "$(json_text "$gpu")" \
    "$(json_text "$driver")" "$(json_text "$("$nvcc" --version | sed -n 's/^.*release .*, V//p')")" \
    "$(json_text "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)")" "$(date -u +%Y-%m-%dT%H:%MZ)"
}
