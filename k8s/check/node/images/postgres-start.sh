#!/bin/sh
# Starts PostgreSQL like the official image: creates a cluster with POSTGRES_PASSWORD, then runs the server.
set -eu
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb -D "$PGDATA" -U postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --locale=C.UTF-8 -E UTF8
  rm /tmp/password
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
fi
# The kubelet gives the pod's group (fsGroup) access to the volume; PostgreSQL requires mode 700.
chmod 700 "$PGDATA"
exec postgres -D "$PGDATA" -c 'listen_addresses=*' -c unix_socket_directories=/var/run/postgresql "$@"
