#!/bin/sh
# Refuses to start an empty embedded log beside the log of the single node that `docker compose up` ran up to Berth 0.1.
# FORMER_DATA and NEW_DATA are the two volumes, mounted read-only.
set -eu

if [ -e "$NEW_DATA/events.db" ] || [ "${NEW_EMPTY_LOG:-}" = yes ]; then exit 0; fi
# What cannot be listed counts as data.
if former=$(ls -A "$FORMER_DATA" 2>&1) && [ -z "$former" ]; then exit 0; fi

cat >&2 <<'END'
berth: not started. The volume eventstore-data holds the log of the KurrentDB node that `docker compose up` ran before.
`docker compose up` now runs the embedded store, whose log would be empty. Nothing was changed. Either

  continue with that log, as before:    docker compose --profile single up
  begin with an empty log:              NEW_EMPTY_LOG=yes docker compose up

src/guide/deploying.md explains both.
END
exit 1
