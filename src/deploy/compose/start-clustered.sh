#!/bin/sh
# Starts an instance over the cluster. Its password, of hexadecimal digits, is in a file that make-certificates.sh made.
set -eu
password=$(cat /run/store/password)
export BERTH_EVENT_STORE="esdb://berth:$password@$NODES?tls=true&tlsCAFile=%2Frun%2Fstore%2Fca.crt"
exec berth serve
