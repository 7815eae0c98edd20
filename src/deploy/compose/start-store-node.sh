#!/bin/sh
# Starts node 1, 2 or 3 of the cluster. The passwords of its first users are taken from the environment only.
set -eu
case $1 in
  1) others=eventstore-2:2113,eventstore-3:2113 ;;
  2) others=eventstore-1:2113,eventstore-3:2113 ;;
  3) others=eventstore-1:2113,eventstore-2:2113 ;;
  *) echo "there is no node $1" >&2; exit 2 ;;
esac
export KURRENTDB_TELEMETRY_OPTOUT=true
export KURRENTDB_CLUSTER_SIZE=3
export KURRENTDB_DISCOVER_VIA_DNS=false
export KURRENTDB_GOSSIP_SEED="$others"
export KURRENTDB_NODE_HOST_ADVERTISE_AS="eventstore-$1"
export KURRENTDB_REPLICATION_HOST_ADVERTISE_AS="eventstore-$1"
export KURRENTDB_ADVERTISE_HOST_TO_CLIENT_AS="eventstore-$1"
export KURRENTDB_TRUSTED_ROOT_CERTIFICATES_PATH=/tls/ca
export KURRENTDB_CERTIFICATE_FILE=/tls/node.crt
export KURRENTDB_CERTIFICATE_PRIVATE_KEY_FILE=/tls/node.key
KURRENTDB_DEFAULT_ADMIN_PASSWORD=$(cat /run/passwords/admin)
KURRENTDB_DEFAULT_OPS_PASSWORD=$(cat /run/passwords/ops)
export KURRENTDB_DEFAULT_ADMIN_PASSWORD KURRENTDB_DEFAULT_OPS_PASSWORD
exec /opt/kurrentdb/KurrentDB
