# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the scripts of this folder, in the folder of the project: how its benchmarks are built, which there are, and
# how they start.

# build_benchmarks <source> <build>: optimised; stops with the faults of the compiler.
build_benchmarks() {
  local source=$1 build=$2
  require_packages g++ cmake ninja-build zlib1g-dev libzip-dev libxxhash-dev nlohmann-json3-dev libmetis-dev libopenmpi-dev openmpi-bin libbenchmark-dev
  require_tools
  printf 'building the benchmarks in %s\n' "$build"
  mkdir -p "$build"
  if ! { cmake -S "$source" --preset release -B "$build" -DGLT_MPI=ON -DMPI_CXX_COMPILER=mpicxx.openmpi \
    -DGLT_BUILD_EXAMPLES=OFF -DGLT_BUILD_PARTITION=OFF -DGLT_BUILD_BENCHMARKS=ON && cmake --build "$build"; } > "$build/build.log" 2>&1; then
    grep -E -A 12 'error|Error|FAILED' "$build/build.log" >&2 || tail -n 20 "$build/build.log" >&2
    printf 'error: the benchmarks do not build (the whole log is %s)\n' "$build/build.log" >&2
    exit 1
  fi
}

# list_programs <build>: a line "<folder> <ranks, or 0 without MPI>" for every way in which a program of the build runs.
list_programs() {
  local program folder
  for program in "$1"/bench/bench_*; do
    [ -f "$program" ] || continue # sources that are compiled together
    folder=${program##*/bench_}
    case $folder in
      cuda_* | emulated_* | peers) ;; # see gpu.sh and peers.sh
      comm) echo comm 2 ;;
      dist) printf 'dist 1\ndist 2\n' ;;
      *) echo "$folder 0" ;;
    esac
  done
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# start_benchmark <build> <folder> <ranks> [option]...: under the command GLT_BENCH_UNDER, such as "taskset -c 2,3", if it is set.
start_benchmark() {
  local program=$1/bench/bench_$2 ranks=$3
  shift 3
  if [ "$ranks" -eq 0 ]; then
    ${GLT_BENCH_UNDER:-} "$program" "$@"
  else # Unbound: bound to a core each, ranks would leave none for the threads that prepare batches.
    ${GLT_BENCH_UNDER:-} mpiexec.openmpi --oversubscribe --bind-to none --mca pml ob1 --mca btl ^openib,ofi --mca btl_base_warn_component_unused 0 -n "$ranks" "$program" "$@"
  fi
}

# list_benchmarks <build> <folder> <ranks> [regular expression]: those that run so, one a line, whose names
# "<folder>/<benchmark>[/ranks:<ranks>]" match. Without an expression, and unless full=1, those that take minutes are left out.
list_benchmarks() {
  local suffix='' without='^$'
  case $2.$3 in # one rank has nobody to serve it, and two have no core for a thread
    dist.1) without='^(hand_over|serve_batches|load_replicated)/' ;;
    dist.2) without='^(load_ahead|growth)/' ;;
  esac
  [ -n "${full:-}${4:-}" ] || without+='|^(growth|infer_sage)/|/columns:256/'
  [ "$3" -eq 0 ] || suffix=/ranks:$3
  GLT_BENCH_UNDER='' start_benchmark "$1" "$2" "$(($3 > 0))" --benchmark_list_tests=true | grep -vE "$without" |
    sed "s|.*|$2/&$suffix|" | grep -E -- "${4:-}" | sed "s|^$2/||; s|$suffix\$||" || true
}

# only_these: a regular expression for the names of benchmarks that are read, one a line.
only_these() {
  local names
  names=$(sed 's/[]$*.^|+?(){}\\[]/\\&/g' | paste -s -d '|')
  printf '^(%s)$' "$names"
}
