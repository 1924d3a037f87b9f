import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Found from this folder, because `main.js` and its bundle are both in it: code of deeper folders is elsewhere in a bundle.
 */

/** The server of static sites, as a module of its own. */
export const STATIC_SERVER = fileURLToPath(
  new URL(`./local-runtime/artefacts/static-server${extname(import.meta.url)}`, import.meta.url),
);

/** A program that runs in images; `nx bundle runtime-agent` makes them. */
export const imageProgram = (name: string): URL => new URL(`../dist/program-${name}.js`, import.meta.url);
