# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by tests/gpu.sh and bench/gpu.sh. They build programs for GPUs into a kit, a folder with these scripts that can be
# carried to a machine with a GPU and a driver and nothing else, and run the programs of a kit.

# read_gpu_arguments <script> <folder> [argument...]: sets the options; relative paths are of the folder. A script in a kit
# runs what is there.
read_gpu_arguments() {
  script=$1
  local folder=$2
  shift 2
  build=$PWD/build/gpu kit='' out='' only='' limit='' sanitizer=none kernels=
  does_build=1 does_run=1
  if ! [ -e CMakeLists.txt ]; then
    kit=$PWD does_build=
  fi
  while [ $# -gt 0 ]; do
    case $1 in
      --build-only) does_run= ;;
      --no-build) does_build= ;;
      --kernels) kernels=1 ;;
      --build | --out | --only | --time-limit | --sanitizer)
        [ $# -ge 2 ] || gpu_usage "$script"
        case $1 in
          --build) build=$(cd "$folder" && realpath -m "$2") kit= ;;
          --out) out=$(cd "$folder" && realpath -m "$2") ;;
          --only) only=$2 ;;
          --time-limit) limit=$2 ;;
          --sanitizer) sanitizer=$2 ;;
        esac
        shift
        ;;
      *) gpu_usage "$script" ;;
    esac
    shift
  done
  if [ -z "$does_build$does_run" ] || ! [[ $limit =~ ^[0-9]*$ && $sanitizer =~ ^(none|memcheck|racecheck|synccheck)$ ]] \
    || { [ "$script" != tests/gpu.sh ] && [ "$sanitizer" != none ]; } || { [ "$script" != bench/gpu.sh ] && [ -n "$kernels" ]; }; then
    gpu_usage "$script"
  fi
  kit=${kit:-$build/kit}
  out=${out:-$kit/results}
}

gpu_usage() {
  sed -n '/^# usage: /,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$1" >&2
  exit 2
}

# find_nvcc: sets nvcc and architectures; stops where a tool is missing.
find_nvcc() {
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
  architectures=90-real # of H100 and H200, which such machines most often have
  if command -v nvidia-smi > /dev/null && nvidia-smi > /dev/null 2>&1; then
    architectures=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d '. ')-real
  fi
}

# build_kit <list of programs> <option>...: configures, builds the programs that <build>/<list> names in its second column,
# and puts them into the kit with all that runs them; stops with the faults.
build_kit() {
  local list=$1 log=$build/build.log generator=() programs
  shift
  find_nvcc
  mkdir -p "$build"
  printf 'building for %s\n' "$architectures"
  if command -v ninja > /dev/null && ! [ -e "$build/CMakeCache.txt" ]; then
    generator=(-G Ninja)
  fi
  if ! cmake -S . -B "$build" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_COMPILER="$nvcc" \
    "-DCMAKE_CUDA_ARCHITECTURES=$architectures" -DCMAKE_CUDA_RUNTIME_LIBRARY=Static \
    "-DCMAKE_EXE_LINKER_FLAGS=-static-libstdc++ -static-libgcc" -DGLT_CUDA=ON -DGLT_THRUST=ON -DGLT_NCCL=AUTO -DGLT_MPI=OFF \
    -DGLT_IO=OFF -DGLT_METIS=OFF -DGLT_TORCH=OFF -DGLT_BUILD_EXAMPLES=OFF -DGLT_BUILD_PARTITION=OFF -DGLT_HOST_PROGRAMS=OFF \
    -DGLT_BUILD_TESTS=ON -DGLT_TEST_STRUCTURE=OFF -DGLT_TEST_PLAIN_DOCTEST=ON "-DGLT_TEST_FOLDERS=policies;cuda;nccl" \
    -DGLT_BUILD_BENCHMARKS=ON "$@" > "$log" 2>&1; then
    tail -n 30 "$log" >&2
    printf 'error: cannot be configured (the whole log is %s)\n' "$log" >&2
    exit 1
  fi
  mapfile -t programs < <(chosen_of "$build/$list" | cut -d ' ' -f 2 | sort -u)
  if [ ${#programs[@]} -eq 0 ]; then
    printf 'error: nothing matches --only %s\n' "$only" >&2
    exit 2
  fi
  if ! cmake --build "$build" -j "$(nproc)" --target "${programs[@]}" >> "$log" 2>&1; then
    grep -E -A 12 'error|FAILED' "$log" | head -n 100 >&2 || true
    printf 'error: does not build (the whole log is %s)\n' "$log" >&2
    exit 1
  fi
  mkdir -p "$kit/tests" "$kit/bench" "$kit/cmake" "$kit/programs"
  cp tests/gpu.sh "$kit/tests/"
  cp bench/gpu.sh "$kit/bench/"
  cp cmake/gpu.sh "$kit/cmake/"
  chosen_of "$build/$list" > "$kit/$list"
  git rev-parse HEAD > "$kit/commit" 2> /dev/null || true
  "$nvcc" --version | sed -n 's/^.*release .*, V//p' > "$kit/nvcc"
  for program in "${programs[@]}"; do
    strip -o "$kit/programs/$program" "$(find "$build" -name "$program" -type f -perm -u+x ! -path "$kit/*" | head -n 1)"
  done
  printf 'the kit %s has %s of programs; carry it as it is, and call %s there\n' "$kit" "$(du -sh "$kit/programs" | cut -f 1)" \
    "$script"
}

# chosen_of <list>: its lines whose first word matches --only.
chosen_of() {
  awk -v only="$only" '$1 ~ only' "$1"
}

# json_text <text>: the text as a string of JSON.
json_text() {
  local text=${1//\\/\\\\}
  printf '"%s"' "${text//\"/\\\"}"
}

# begin_results <file>: says which machine this is, there and on the screen.
begin_results() {
  local gpu='' driver=''
  if command -v nvidia-smi > /dev/null && nvidia-smi > /dev/null 2>&1; then
    gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)
    driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
  fi
  printf '%s\n' "${gpu:-no GPU (nvidia-smi finds none)}${driver:+, driver $driver}"
  mkdir -p "$out"
  printf '{"machine": {"gpu": %s, "driver": %s, "processor": %s}, "nvcc": %s, "commit": %s, "date": "%s"}\n' \
    "$(json_text "$gpu")" "$(json_text "$driver")" \
    "$(json_text "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)")" \
    "$(json_text "$(cat "$kit/nvcc" 2> /dev/null || true)")" "$(json_text "$(cat "$kit/commit" 2> /dev/null || true)")" \
    "$(date -u +%Y-%m-%dT%H:%MZ)" > "$1"
}

# run_kit <list> <results> <seconds a program may take> <command before a program>...: runs what the list names and --only
# chooses; {} in the command stands for the name. A line is written after every one of them. Ends with what the whole script
# ends with.
run_kit() {
  local list=$kit/$1 results=$2 most=$3 passed=0 failed=0 skipped=0 left=0 started name program arguments
  shift 3
  if ! [ -e "$list" ]; then
    printf 'error: %s is not there; build it (without --no-build)\n' "$list" >&2
    exit 2
  fi
  # NCCL is not in the kit: packages of pip have it as well.
  local nccl
  nccl=$(find_nccl)
  export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}${LD_LIBRARY_PATH:+${nccl:+:}}$nccl # an empty folder would be this one
  begin_results "$results"
  started=$SECONDS
  while read -r name program arguments; do
    local begun=$SECONDS status=0 outcome reason='' seconds=$most log=$out/$name.log
    if [ -n "$limit" ]; then
      seconds=$((limit - (SECONDS - started) < most ? limit - (SECONDS - started) : most))
    fi
    if [ "$seconds" -le 0 ]; then
      outcome='Not run' reason="--time-limit $limit" left=$((left + 1))
    elif ! [ -x "$kit/programs/$program" ]; then
      outcome=Failed reason="$program is not in the kit" failed=$((failed + 1))
    else
      local command=("${@//\{\}/$name}" "$kit/programs/$program")
      [ -z "$arguments" ] || command+=("${arguments//\{\}/$out/$name}")
      timeout -k 10 "$seconds" "${command[@]}" > "$log" 2>&1 < /dev/null || status=$?
      case $status in
        0) outcome=Passed ;;
        77) outcome=Skipped reason=$(sed -n 's/^skipped: //p' "$log" | tail -n 1) ;;
        124 | 137)
          outcome=Failed reason="no end within $seconds s"
          [ "$seconds" -eq "$most" ] || outcome='Cut off' left=$((left + 1)) # by --time-limit
          ;;
        127) outcome=Skipped reason=$(tail -n 1 "$log") ;; # a library is missing
        *) outcome=Failed reason=$(grep -E 'ERROR|error|is false|threw|=========' "$log" | head -n 3 | tr '\n\t' '  ' || true) ;;
      esac
      if [ "$outcome" = Passed ] && grep -q 'test cases: *0 ' "$log"; then
        outcome=Failed reason='it has no test cases'
      fi
      case $outcome in
        Passed) passed=$((passed + 1)) ;;
        Skipped) skipped=$((skipped + 1)) ;;
        Failed) failed=$((failed + 1)) ;;
      esac
    fi
    printf '%-44s %-8s %5d s%s\n' "$name" "$outcome" $((SECONDS - begun)) "${reason:+   $reason}"
    printf '{"name": %s, "result": "%s", "seconds": %d%s}\n' "$(json_text "$name")" "$outcome" $((SECONDS - begun)) \
      "${reason:+, \"reason\": $(json_text "$reason")}" >> "$results"
  done < <(chosen_of "$list")
  printf '\nwritten to %s\n%d passed, %d failed, %d skipped, %d not run\n' "$results" "$passed" "$failed" "$skipped" "$left"
  if [ "$failed" -gt 0 ] || [ $((passed + skipped + left)) -eq 0 ]; then
    exit 1
  elif [ "$passed" -eq 0 ]; then
    exit 77
  fi
}

# find_nccl: a folder with libnccl.so.2, if there is one beside those that the loader knows.
find_nccl() {
  local folder
  for folder in /usr/local/cuda/lib64 /usr/local/cuda/lib; do
    if [ -e "$folder/libnccl.so.2" ]; then
      printf '%s' "$folder"
      return
    fi
  done
  python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib", end="")' 2> /dev/null || true
}
