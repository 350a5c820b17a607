#!/bin/sh
# The schemas of Temporal and of its visibility store; both steps do nothing where they were done before.
set -eu
for database in temporal temporal_visibility; do
  case "$database" in
    temporal) schema=temporal ;;
    *) schema=visibility ;;
  esac
  sql() {
    temporal-sql-tool --plugin postgres12 --ep "$POSTGRES_SEEDS" --port "$DB_PORT" --user "$POSTGRES_USER" --db "$database" "$@"
  }
  sql create
  sql setup-schema -v 0.0
  sql update-schema -d "/etc/temporal/schema/postgresql/v12/$schema/versioned"
done
