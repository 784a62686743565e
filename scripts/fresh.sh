#!/usr/bin/env bash
# scripts/fresh.sh [--ccache] [--if-changed] [--root DIR] COMMAND [ARGUMENT...]
# Runs a command as on a new machine: in a bare Debian with nothing but git, made by mmdebstrap from this machine's package sources (some 40 s,
# 250 MB), in a clone of this checkout. What is not committed is not in it. The network is this machine's, the user is root, the environment
# is empty. Needs no rights where user namespaces are allowed. The exit status is the command's, or 77 after a line `skipped: ...`.
#   --ccache      the new machine has ccache, and this machine's folder of it
#   --if-changed  skip it if no CMake file, no script and no README.md differs from the branch that this one goes onto: what LOCKSTEP_BASE
#                 names, or else main, at origin or here; on main itself, from the commit before
#   --root DIR    make the root in DIR, or take the one that is there, and keep it; otherwise it is removed in the end
# Example: scripts/fresh.sh scripts/demo.sh
set -euo pipefail
self=$(realpath "$0")
checkout=$(dirname "$self")/..

skip() {
  echo "skipped: $*"
  exit 77
}
usage() {
  echo "fresh: $* (see --help)" >&2
  exit 2
}

ccache="" changed="" kept=""
arguments=("$@")
while :; do
  case "${1:-}" in
    --ccache) ccache=yes ;;
    --if-changed) changed=yes ;;
    --root)
      [ $# -ge 2 ] || usage "--root needs a folder"
      kept=$2
      shift
      ;;
    --help | -h)
      sed -n '2,12s/^# \{0,1\}//p' "$self"
      exit 0
      ;;
    -*) usage "unknown option '$1'" ;;
    *) break ;;
  esac
  shift
done
[ $# -gt 0 ] || usage "no command"

# The commit where this branch left the one that it goes onto; nothing if that cannot be known.
base() {
  local name commit
  for name in ${LOCKSTEP_BASE:-origin/HEAD origin/main main}; do
    commit=$(git -C "$checkout" merge-base HEAD "$name" 2>/dev/null) || continue
    [ -z "${LOCKSTEP_BASE:-}" ] && [ "$commit" = "$(git -C "$checkout" rev-parse HEAD)" ] || { echo "$commit" && return; }
  done
  [ -n "${LOCKSTEP_BASE:-}" ] || git -C "$checkout" rev-parse -q --verify HEAD~1 || true
}
if [ -n "$changed" ] && [ -z "${LOCKSTEP_FRESH:-}" ]; then
  commit=$(base)
  files=(':(glob)**/CMakeLists.txt' CMakePresets.json cmake scripts README.md)
  if [ -n "$commit" ] && git -C "$checkout" diff --quiet "$commit" HEAD -- "${files[@]}"; then
    skip "no CMake file, no script and no README.md differs from $(git -C "$checkout" rev-parse --short "$commit")"
  fi
fi

[ -r /etc/debian_version ] || skip "this is not Debian"
for tool in mmdebstrap git unshare chroot; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -z "$kept" ] || mkdir -p "$kept"

# make_root FILE: a root as an archive.
make_root() {
  local mode=root suite sources options=() include=git option
  suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mapfile -t sources < <(grep -lE "(^|[[:space:]])$suite([[:space:]].*)?$" /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null | xargs -r grep -lw main)
  [ -n "$suite" ] && [ ${#sources[@]} -gt 0 ] || skip "no package source of this Debian is known"
  ! grep -q https: "${sources[@]}" || include=$include,ca-certificates
  [ -z "$ccache" ] || include=$include,ccache
  # How packages are got here: proxies, and how old lists may be.
  while read -r option; do options+=("--aptopt=$option"); done < <(apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-)')
  [ "$(id -u)" -eq 0 ] || mode=unshare
  mmdebstrap --mode=$mode --variant=minbase --include=$include "${options[@]}" "$suite" "$1" "${sources[@]}" >"$1.log" 2>&1 || {
    tail -n 5 "$1.log"
    skip "mmdebstrap could not make a root"
  }
}

# Twice through this file. First as whoever calls, who makes the archive; then as root, if need be in a user namespace, in which other users
# exist as well.
if [ -z "${LOCKSTEP_FRESH:-}" ]; then
  namespace=()
  if [ "$(id -u)" -ne 0 ]; then
    namespace=(unshare --user --map-root-user --map-auto)
    "${namespace[@]}" true 2>/dev/null || skip "user namespaces are not allowed, or there are no subordinate ids (uidmap, /etc/subuid)"
  fi
  "${namespace[@]}" unshare --mount --pid --fork true 2>/dev/null || skip "mount and process namespaces are not allowed"
  LOCKSTEP_FRESH=$(mktemp -d)
  trap 'rm -rf "$LOCKSTEP_FRESH"' EXIT
  export LOCKSTEP_FRESH
  [ -n "$kept" ] && [ -e "$kept/etc/debian_version" ] || make_root "$LOCKSTEP_FRESH/root.tar"
  status=0
  "${namespace[@]}" "$self" "${arguments[@]}" || status=$?
  exit $status
fi

root=${kept:-$LOCKSTEP_FRESH/root}
# Nothing is mounted where this can see it.
[ -n "$kept" ] || trap 'rm -rf --one-file-system "$root"' EXIT
if [ -e "$LOCKSTEP_FRESH/root.tar" ]; then
  mkdir -p "$root"
  tar -x -C "$root" -f "$LOCKSTEP_FRESH/root.tar" --exclude='./dev/*'
  rm "$LOCKSTEP_FRESH/root.tar"
  echo "fresh: Debian $(cat "$root/etc/debian_version") in $(du -sm "$root" | cut -f 1) MB"
fi

home=$root/root
rm -rf --one-file-system "$home/lockstep"
git clone -q --no-hardlinks "$checkout" "$home/lockstep"
[ -z "$(git -C "$checkout" status --porcelain)" ] || echo "fresh: what is not committed is left out"
cp -L /etc/resolv.conf "$root/etc/" 2>/dev/null || true
mounts='mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys"'
if [ -n "$ccache" ] && command -v ccache >/dev/null; then
  folder=$(ccache --get-config cache_dir)
  mkdir -p "$folder" "$home/.cache/ccache"
  mounts="$mounts && mount --bind $(printf %q "$folder") \"\$1/root/.cache/ccache\""
fi

environment=(HOME=/root USER=root "TERM=${TERM:-dumb}" LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
for name in http_proxy https_proxy no_proxy; do
  [ -z "${!name:-}" ] || environment+=("$name=${!name}")
done
# shellcheck disable=SC2016
unshare --mount --pid --fork --kill-child sh -c "{ $mounts; } || { echo 'skipped: nothing can be mounted in a namespace here'; exit 77; }"'; root=$1; shift; exec chroot "$root" env -i "$@"' fresh "$root" \
  "${environment[@]}" sh -c 'cd /root/lockstep && exec "$@"' fresh "$@"
