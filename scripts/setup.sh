#!/bin/sh
# scripts/setup.sh [--minimal]
# Installs what Lockstep needs and this Debian does not have yet, by package name, as root or through sudo.
# --minimal leaves out what only the tests, the benchmarks and the fuzz targets need.
set -eu

build_packages="g++ make cmake ninja-build libboost-dev libz3-dev libfmt-dev libcli11-dev nlohmann-json3-dev llvm-19-dev libjemalloc-dev"
test_packages="catch2 librapidcheck-dev clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev libclang-19-dev libmpfr-dev"
# What is skipped without them: the test that opens the HTML trace, the comparison of kernels with OpenCL, machine code for other machines, a
# newer LLVM beside the one that is used, and the demo on a bare machine.
optional_packages="chromium oclgrind pocl-opencl-icd ocl-icd-opencl-dev qemu-user gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu"
optional_packages="$optional_packages libc6-dev-arm64-cross libc6-dev-riscv64-cross llvm-22-dev mmdebstrap uidmap"

die() {
  echo "setup: $*" >&2
  exit 1
}

case "$#:${1:-}" in
  0:) required="$build_packages $test_packages" optional=$optional_packages ;;
  1:--minimal) required=$build_packages optional="" ;;
  *)
    echo "usage: scripts/setup.sh [--minimal]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  die "this is not Debian (no dpkg-query or apt-get). Install by your system's means what these packages bring: $required"
fi

# missing PACKAGE...: those that are not installed.
missing() {
  for package in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)" != installed ]; then
      printf '%s ' "$package"
    fi
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    return 127
  fi
}

install_packages() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" </dev/null
}

# shellcheck disable=SC2086  # package names have no blanks
lacking=$(missing $required)
# shellcheck disable=SC2086
wanted=$(missing $optional)
if [ -z "$lacking$wanted" ]; then
  echo "setup: everything is installed"
  exit 0
fi

if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
  if [ -z "$lacking" ]; then
    echo "setup: everything needed is installed; optional and missing: $wanted(not root, no sudo: left alone)"
    exit 0
  fi
  die "these packages are missing: $lacking- run this script as root, or install sudo"
fi

echo "setup: installing: $lacking$wanted"
as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q </dev/null || die "apt-get update failed (see above)"
if [ -n "$lacking" ]; then
  # shellcheck disable=SC2086
  install_packages $lacking || die "apt-get could not install: $lacking(Lockstep is built on Debian 12 or newer)"
fi
# All at once is quicker; one that this Debian does not have must not keep the others away.
# shellcheck disable=SC2086
if [ -n "$wanted" ] && ! install_packages $wanted; then
  for package in $wanted; do
    install_packages "$package" || echo "setup: could not install $package; the tests that need it will be skipped"
  done
fi
echo "setup: done"
