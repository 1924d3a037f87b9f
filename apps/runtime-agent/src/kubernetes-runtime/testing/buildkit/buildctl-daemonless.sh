#!/bin/sh
exec node --no-warnings "${0%/*}/../fake-buildctl.ts" "$@"
