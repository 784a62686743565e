#!/bin/sh
# run.sh oclgrind|pocl [PROGRAM]
# Runs the comparison with an OpenCL implementation, or says that it is not installed (status 77: skipped). No PROGRAM: there were no
# OpenCL headers to build it with.
set -eu
skip() {
  echo "skipped: $1"
  exit 77
}
[ $# -eq 2 ] || skip "ocl-icd-opencl-dev is not installed, nothing is compared with $1"
case $1 in
  oclgrind)
    command -v oclgrind >/dev/null || skip "oclgrind is not installed, nothing is compared with it"
    LOCKSTEP_OPENCL=Oclgrind exec oclgrind --max-errors 20 "$2"
    ;;
  pocl)
    ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1 || skip "pocl-opencl-icd is not installed, nothing is compared with it"
    # Every kernel is another one: nothing to keep on the disk.
    POCL_CACHE_DIR=$(mktemp -d)
    export POCL_CACHE_DIR
    trap 'rm -rf "$POCL_CACHE_DIR"' EXIT
    LOCKSTEP_OPENCL="Portable Computing Language" POCL_KERNEL_CACHE=0 "$2"
    ;;
  *)
    echo "run.sh: unknown implementation $1" >&2
    exit 2
    ;;
esac
