#!/bin/sh
exec node --no-warnings "${0%/*}/../buildctl-stand-in.ts" "$@"
