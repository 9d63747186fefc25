#!/usr/bin/env bash
# The tests on a machine that lacks some Debian packages, although this one has them:
#
#     scripts/without.sh ministat tmux                          the whole suite but the kernel labs, without these
#     scripts/without.sh ministat -- tests/stats -q             these arguments for pytest
#     scripts/without.sh all                                    without every package that .ci/run installs
#
# Needs root: in a mount namespace of its own, an overlay hides the packages' programs. Nothing is uninstalled,
# and other processes see nothing of it.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=() arguments=(--beside 8 tests)
while [ $# -gt 0 ]; do
  if [ "$1" = -- ]; then shift; arguments=("$@"); break; fi
  packages+=("$1"); shift
done
if [ "${packages[*]}" = all ]; then
  # not those that this script, the Makefile and every shell script need
  needed="python3-venv make util-linux $(dpkg -S "$(readlink -f "$(command -v awk)")" | cut -d: -f1)"
  for package in $(sed -n '/packages="/,/"/p' .ci/run | tr '\n' ' ' | cut -d'"' -f2); do
    case " $needed " in *" $package "*) ;; *) packages+=("$package") ;; esac
  done
  packages=("${packages[@]:1}")
fi
programs=()
for package in "${packages[@]}"; do
  while read -r file; do
    case $file in /bin/* | /sbin/* | /usr/bin/* | /usr/sbin/*) ;; *) continue ;; esac
    if [ -x "$file" ]; then programs+=("$file"); fi
  done < <(dpkg -L "$package" | grep -E '/s?bin/')
done
printf 'without %s\n' "${programs[*]}"
# shellcheck disable=SC2016
exec unshare --mount sh -ec '
  mount --make-rprivate /
  mount -t tmpfs none /mnt
  for folder in bin sbin; do mkdir -p "/mnt/$folder/upper" "/mnt/$folder/work"; done
  while [ "$1" != -- ]; do
    mknod "/mnt/$(basename "$(dirname "$1")")/upper/$(basename "$1")" c 0 0 2>/dev/null || :
    shift
  done
  shift
  for folder in bin sbin; do
    mount -t overlay none -o "lowerdir=/usr/$folder,upperdir=/mnt/$folder/upper,workdir=/mnt/$folder/work" "/usr/$folder"
  done
  unset PYTHONDONTWRITEBYTECODE
  exec .venv/bin/python -m pytest "$@"
' sh "${programs[@]}" -- "${arguments[@]}"
