#!/bin/sh
# compile.sh [DIR]
# Makes the PTX of the kernels in this folder that lies in tests/ptx/kernelgen, or in DIR: by clang 19 without a CUDA toolkit, and by nvcc 13,
# which is $NVCC, or the one on the PATH. In the folders *-fma products and sums may be contracted, in the others none is. Without nvcc its
# folders stay as they are.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../../tests/ptx/kernelgen}
mkdir -p "$out/clang" "$out/clang-fma" "$out/nvcc" "$out/nvcc-fma"
out=$(cd "$out" && pwd)
nvcc=${NVCC:-$(command -v nvcc || true)}
cd "$here" # names of files in the PTX are those in this folder
for file in *.cu; do
  name=${file%.cu}
  for contract in off fast; do
    folder=clang$([ $contract = off ] || echo -fma)
    clang-19 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_75 -O2 -ffp-contract=$contract \
      -Wno-unknown-cuda-version -S "$file" -o "$out/$folder/$name.ptx"
  done
  [ -n "$nvcc" ] || continue
  for fmad in false true; do
    folder=nvcc$([ $fmad = false ] || echo -fma)
    "$nvcc" -arch=compute_75 -fmad=$fmad -ptx "$file" -o "$out/$folder/$name.ptx"
  done
done
[ -n "$nvcc" ] || echo "compile.sh: there is no nvcc; its PTX stays as it is" >&2
