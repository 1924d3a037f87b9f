#!/bin/sh
# Creates one role per service, which owns its database and cannot connect to others. Needs psql as a superuser and
# POSTERN_DATABASE_PASSWORD_<SERVICE>, or the file of the password in POSTERN_DATABASE_PASSWORD_<SERVICE>_FILE. Idempotent.
set -eu
prefix=${POSTERN_DATABASE_PREFIX-postern_}
for service in email_send delivery_tracking webhook_dispatch platform_management; do
  variable=POSTERN_DATABASE_PASSWORD_$(echo "$service" | tr '[:lower:]' '[:upper:]')
  eval "file=\${${variable}_FILE-}"
  if [ -n "$file" ]; then ROLE_PASSWORD=$(cat "$file"); else eval "ROLE_PASSWORD=\${$variable:?}"; fi
  export ROLE_PASSWORD
  psql --quiet --no-psqlrc --tuples-only --set=ON_ERROR_STOP=1 --set=name="$prefix$service" --dbname=postgres <<'SQL'
\getenv password ROLE_PASSWORD
-- A failed statement would be logged with the password.
SET log_min_error_statement = panic;
SET client_min_messages = warning;
SELECT format('CREATE ROLE %I', :'name') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
ALTER ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
GRANT pg_read_all_settings TO :"name";
SELECT format('CREATE DATABASE %I', :'name') WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
ALTER DATABASE :"name" OWNER TO :"name";
REVOKE ALL ON DATABASE :"name", postgres, template1 FROM PUBLIC;
SQL
done
