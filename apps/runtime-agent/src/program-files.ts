import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Paths are resolved from this folder, because it contains both `main.js` and its bundle; bundling moves code of
 * deeper folders.
 */

/** The static site server, a separate module. */
export const STATIC_SERVER = fileURLToPath(
  new URL(`./local-runtime/artefacts/static-server${extname(import.meta.url)}`, import.meta.url),
);

/** A bundled program that runs in images; `nx bundle runtime-agent` builds it. */
export const imageProgram = (name: string): URL => new URL(`../dist/program-${name}.js`, import.meta.url);
