#!/bin/sh
# Makes, once, the files that instances over a shared store need and do not make: vault key and audit key.
set -eu
umask 077
cd /etc/berth

# The first instance makes the user admin.
if [ ! -s vault.key ] && [ -z "${BERTH_ADMIN_PASSWORD:-}" ]; then
  echo 'berth: set BERTH_ADMIN_PASSWORD to a password for the user admin, 8 characters or more' >&2
  exit 2
fi
if [ ! -s vault.key ]; then
  printf '%s:%s\n' "$(date -u +%F)" "$(head -c 32 /dev/urandom | base64 -w 0)" > vault.key.new
  sync vault.key.new
  mv vault.key.new vault.key
  echo 'made the vault key; keep a copy of it in another place'
fi
if [ ! -s audit.key ]; then
  head -c 32 /dev/urandom | base64 -w 0 > audit.key.new
  sync audit.key.new
  mv audit.key.new audit.key
  echo 'made the audit key, which signs checkpoints; keep a copy of it in another place'
fi
