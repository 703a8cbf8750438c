# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the scripts that a person runs on a bare machine.

# as_root <command>...: runs it as root, by sudo if need be; status 3 where neither is possible.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
    sudo -n "$@"
  else
    return 3
  fi
}

# has_package <package>: whether this distribution has the Debian package; asks its servers where no list of theirs is here.
has_package() {
  command -v apt-cache > /dev/null || return 1
  if ! apt-cache show "$1" > /dev/null 2>&1; then
    as_root apt-get update > /dev/null 2>&1 < /dev/null || true
    apt-cache show "$1" > /dev/null 2>&1
  fi
}

# require_packages <package>...: makes sure that the Debian packages are installed.
#
# Installs what is missing as root or through sudo. Elsewhere prints what to install and exits with status 3.
require_packages() {
  if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    printf 'error: this script installs Debian packages, and this machine has no apt-get.\n' >&2
    printf 'Install by hand what corresponds to: %s\n' "$*" >&2
    printf 'and run the cmake commands of README.md instead.\n' >&2
    exit 3
  fi
  local missing=() package
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    return 0
  fi
  if ! as_root true; then
    printf 'error: these packages are missing, and neither root nor sudo without a password is at hand. Run:\n' >&2
    printf '  apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
    printf 'as root and start this script again.\n' >&2
    exit 3
  fi
  printf 'installing %s\n' "${missing[*]}"
  local log
  log=$(mktemp)
  if ! { as_root apt-get update || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${missing[@]}"; } \
    > "$log" 2>&1 < /dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    printf 'error: apt-get could not install: %s\n' "${missing[*]}" >&2
    exit 3
  fi
  rm -f "$log"
}

# require_tools: stops with a message where the distribution's compiler or CMake is too old.
require_tools() {
  local cmake_version compiler_version
  cmake_version=$(cmake --version | sed -n 's/^cmake version //p')
  compiler_version=$("${CXX:-c++}" -dumpfullversion -dumpversion)
  if [ "$(printf '3.25\n%s\n' "$cmake_version" | sort -V | head -n 1)" != 3.25 ]; then
    printf 'error: CMake 3.25 or newer is needed, and this is %s; use Debian 12, Ubuntu 24.04 or newer\n' \
      "$cmake_version" >&2
    exit 3
  fi
  if "${CXX:-c++}" --version | grep -q 'Free Software Foundation' &&
    [ "$(printf '12\n%s\n' "$compiler_version" | sort -V | head -n 1)" != 12 ]; then
    printf 'error: g++ 12 or newer is needed, and this is %s; use Debian 12, Ubuntu 24.04 or newer\n' \
      "$compiler_version" >&2
    exit 3
  fi
}
