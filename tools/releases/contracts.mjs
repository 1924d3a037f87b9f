#!/usr/bin/env node
/** What releases promise each other; `node tools/releases/contracts.mjs` says how to ask. Needs the build. */
import './dist/contracts.js';
