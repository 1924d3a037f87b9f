#!/bin/sh
# Creates one role per service, which owns its database and cannot connect to others, and transfers ownership of objects
# of the superuser to it. Needs psql as a superuser and POSTERN_DATABASE_PASSWORD_<SERVICE>, or the file of the password in
# POSTERN_DATABASE_PASSWORD_<SERVICE>_FILE. Idempotent.
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
\connect :"name"
SELECT format('ALTER %s OWNER TO %I', object, :'name') FROM (
  SELECT format('SCHEMA %I', nspname) AS object FROM pg_namespace
   WHERE nspowner = current_user::regrole AND nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public')
  UNION ALL
  SELECT format('%s %s', CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE'
                ELSE 'TABLE' END, c.oid::regclass)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relowner = current_user::regrole AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
     AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                        AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
  UNION ALL
  SELECT format('%s %s', CASE p.prokind WHEN 'p' THEN 'PROCEDURE' ELSE 'FUNCTION' END, p.oid::regprocedure)
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
   WHERE p.proowner = current_user::regrole AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  UNION ALL
  SELECT format('%s %s', CASE t.typtype WHEN 'd' THEN 'DOMAIN' ELSE 'TYPE' END, t.oid::regtype)
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
   WHERE t.typowner = current_user::regrole AND t.typtype IN ('e', 'd', 'r')
     AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
) AS objects \gexec
SQL
done
