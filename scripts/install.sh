#!/bin/sh
# install.sh: puts the `reasonix` that lies beside this script where your shell finds it. No root, no network.
#   ./install.sh           into ~/.local/bin
#   ./install.sh FOLDER    into FOLDER
# 把本脚本旁边的 reasonix 安装到 ~/.local/bin，或安装到指定的文件夹。不需要 root，也不访问网络。
set -eu

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

case "${1:-}" in
-h | --help)
  sed -n '2,5s/^# \{0,1\}//p' "$0"
  exit 0
  ;;
-*) fail "there is no option $1; the only argument is the folder to install into" ;;
esac
[ $# -le 1 ] || fail "one folder, not $#"

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
[ -f "$here/reasonix" ] || fail "there is no reasonix beside this script in $here; unpack the whole archive"
# A download that was cut or changed is not installed.
(cd "$here" && sha256sum -c reasonix.sha256 >/dev/null 2>&1) ||
  fail "reasonix is not the file that reasonix.sha256 names; get the archive again"
# What cannot run here is said now, not at the first use.
"$here/reasonix" --version >/dev/null 2>&1 ||
  fail "reasonix does not run on this machine ($(uname -s) $(uname -m)); the archive's name says which it is for"

if [ $# -eq 1 ]; then
  folder=$1
else
  [ -n "${HOME:-}" ] || fail "HOME is not set; name a folder: ./install.sh FOLDER"
  folder=$HOME/.local/bin
fi
mkdir -p -- "$folder" || fail "$folder cannot be made; name another folder: ./install.sh FOLDER"
# Beside its place first, then renamed: a reasonix that runs goes on with the old file, and none is ever half there.
new=$folder/.reasonix.new.$$
trap 'rm -f -- "$new"' EXIT
cp -- "$here/reasonix" "$new" && chmod 755 "$new" && mv -f -- "$new" "$folder/reasonix" ||
  fail "$folder cannot be written; name another folder: ./install.sh FOLDER"

printf 'installed: %s\n' "$("$folder/reasonix" --version), $folder/reasonix"
case ":${PATH:-}:" in
*":$folder:"*) found=$(command -v reasonix || true)
  [ "$found" = "$folder/reasonix" ] || printf 'note: another one comes first in PATH: %s\n' "$found" ;;
*) printf 'note: %s is not in PATH; add this to your shell'\''s settings: export PATH="%s:$PATH"\n' "$folder" "$folder" ;;
esac
printf 'next: reasonix setup\n'
