# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sourced by the scripts that a person runs on a bare machine.

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
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo > /dev/null && sudo -n true 2> /dev/null; then
      as_root=(sudo -n)
    else
      printf 'error: these packages are missing, and neither root nor sudo without a password is at hand. Run:\n' >&2
      printf '  apt-get install --no-install-recommends %s\n' "${missing[*]}" >&2
      printf 'as root and start this script again.\n' >&2
      exit 3
    fi
  fi
  printf 'installing %s\n' "${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
    > "$log" 2>&1 < /dev/null; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    printf 'error: apt-get could not install: %s\n' "${missing[*]}" >&2
    exit 3
  fi
  rm -f "$log"
}
