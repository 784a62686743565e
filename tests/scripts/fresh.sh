#!/bin/sh
# fresh.sh LOCKSTEP SOURCE_DIR
# scripts/fresh.sh: its arguments, what it says where it cannot work, and, with LOCKSTEP_FULL or CI in the environment, a root that it makes.
. "$(dirname "$0")/lib/command.sh"
fresh=$source/scripts/fresh.sh

"$fresh" --help >out 2>err
[ $? -eq 0 ] && good || bad 'help'
says 'Example: scripts/fresh.sh scripts/demo.sh'
"$fresh" --nonsense true >out 2>err
[ $? -eq 2 ] && good || bad 'status 2 for an unknown option'
"$fresh" --ccache >out 2>err
[ $? -eq 2 ] && good || bad 'status 2 without a command'

mkdir bin
for tool in bash env dirname realpath sed git unshare chroot; do ln -s "$(command -v $tool)" bin/; done
PATH=$dir/bin "$fresh" true >out 2>err
[ $? -eq 77 ] && good || bad 'status 77 without mmdebstrap'
says 'skipped: mmdebstrap is not installed'

# A copy in which somebody works: main, and a branch that changes something.
git clone -q "$source" work
in_work() { git -C work -c user.name=test -c user.email=test@localhost "$@"; }
in_work checkout -q -B main
cp "$fresh" work/scripts/ && in_work commit -qam 'as it is here' --allow-empty
in_work checkout -q -b branch
in_work remote remove origin
echo 'more' >>work/docs/building.md && in_work commit -qam 'a page'
# tries TEXT WHAT: with --if-changed, and without mmdebstrap, which is missed if there is something to try.
tries() {
  PATH=$dir/bin work/scripts/fresh.sh --if-changed true >out 2>err
  [ $? -eq 77 ] && grep -q "^skipped: $1" out && good || bad "$2"
}
tries 'no CMake file' 'a page alone is no reason'
echo '# more' >>work/tests/CMakeLists.txt && in_work commit -qam 'a CMake file'
tries 'mmdebstrap' 'a CMake file is a reason'
echo 'more' >>work/docs/building.md && in_work commit -qam 'a page'
tries 'mmdebstrap' 'so is one in a commit before'
LOCKSTEP_BASE=branch~1 tries 'no CMake file' 'the branch that LOCKSTEP_BASE names'
LOCKSTEP_BASE=nonsense tries 'mmdebstrap' 'what cannot be known is no reason to leave it out'
in_work checkout -q -B main
tries 'no CMake file' 'on main: the commit before'

for tool in mmdebstrap unshare; do
  rm -f bin/$tool
  printf '#!/bin/sh\nexit 1\n' >bin/$tool && chmod +x bin/$tool
done
PATH=$dir/bin "$fresh" true >out 2>err
[ $? -eq 77 ] && good || bad 'status 77 without namespaces'
says 'namespaces are not allowed'

if [ -z "${LOCKSTEP_FULL:-}${CI:-}" ]; then
  echo 'skipped: a root is made with --full and in CI only'
  skipped=$((skipped + 1))
elif "$fresh" --root root sh -c 'git log -1 --format=%H; id -u; ls CMakeLists.txt; command -v cmake; exit 3' >out 2>err; status=$?; [ $status -eq 77 ]; then
  cat out
  skipped=$((skipped + 1))
else
  [ $status -eq 3 ] && good || bad "the command's status"
  says "$(git -C "$source" rev-parse HEAD)"
  grep -qx 0 out && grep -qx CMakeLists.txt out && good || bad 'root, in a clone'
  ! grep -q /cmake out && good || bad 'nothing is installed'
  # The root that is there is taken, with what was done to it; --ccache brings this machine's folder.
  XDG_CACHE_HOME=$dir/cache CCACHE_DIR=$dir/cache "$fresh" --ccache --root root sh -c 'touch /root/.cache/ccache/met; env' >out 2>err
  [ $? -eq 0 ] && good || bad 'a second command'
  ! grep -q '^fresh: Debian' out && good || bad 'the root is made once'
  ! command -v ccache >/dev/null || { [ -e cache/met ] && good; } || bad 'the folder of ccache'
  ! grep -qE '^(CI|LOCKSTEP|XDG|CCACHE)' out && good || bad 'the environment is empty'
  rm -rf --one-file-system root 2>/dev/null || unshare --user --map-root-user --map-auto rm -rf --one-file-system root
fi
counts
