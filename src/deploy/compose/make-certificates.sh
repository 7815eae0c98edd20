#!/bin/bash
# Makes, once, the certificate authority of the cluster, a certificate for each node, and passwords. The authority's key is
# in a volume that no other container has. Each node has a volume with its own key only, readable by all in its container:
# the user of the store's image is 1000 in some versions and 1001 in others.
set -euo pipefail
umask 022
cd /authority
rm -rf new

if [ ! -f ca/ca.key ]; then
  es-gencert-cli create-ca -out ./new
  rm -rf ca
  mv new ca
fi

for node in 1 2 3; do
  place=/tls/$node
  if [ -f $place/node.key ] && cmp -s ca/ca.crt $place/ca/ca.crt; then continue; fi
  es-gencert-cli create-node -ca-certificate ./ca/ca.crt -ca-key ./ca/ca.key -out ./new \
    -ip-addresses 127.0.0.1 -dns-names localhost,eventstore-$node
  chmod 0444 new/node.key
  rm -rf $place/ca $place/node.crt $place/node.key
  mkdir $place/ca
  cp ca/ca.crt $place/ca/ca.crt
  cp new/node.crt $place/node.crt
  # Last: its presence says that the others are complete.
  cp new/node.key $place/node.key.new
  mv $place/node.key.new $place/node.key
  rm -rf new
done

if ! cmp -s ca/ca.crt /client/ca.crt; then
  rm -f /client/ca.crt
  cp ca/ca.crt /client/ca.crt
fi
for password in /passwords/admin /passwords/ops /client/password; do
  if [ ! -s $password ]; then
    head -c 24 /dev/urandom | od -An -v -tx1 | tr -d ' \n' > $password.new
    mv $password.new $password
  fi
done
