/** Makes Node.js load the TypeScript sources of the workspace: `node --import <this file> <program>`. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import swc from '@swc/core';

const SWC_OPTIONS = {
  jsc: {
    target: 'es2024',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: true,
  swcrc: false,
  configFile: false,
};
const CACHE = new URL('../../node_modules/.cache/postern-swc/', import.meta.url);
const COMPILER = JSON.stringify([swc.version, SWC_OPTIONS]);
const TYPESCRIPT = /^file:.*\.ts($|\?)/;

/** The source map file of each compiled module, by module URL. */
export const sourceMaps = new Map();

/** Resolves packages of the workspace to their sources, and `./name.js` in a source to `./name.ts`. */
function resolve(specifier, context, next) {
  const sources = { ...context, conditions: [...context.conditions, 'postern-source'] };
  if (TYPESCRIPT.test(context.parentURL) && /^\.{1,2}\/.*\.js$/.test(specifier)) {
    try {
      return next(specifier.replace(/js$/, 'ts'), sources);
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    }
  }
  return next(specifier, sources);
}

/** Compiles TypeScript once per content of a file. */
function load(url, context, next) {
  if (!TYPESCRIPT.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  const key = createHash('sha256').update(COMPILER).update(path).update(text).digest('hex');
  const compiled = new URL(`${key}.js`, CACHE);
  const map = new URL(`${key}.js.map`, CACHE);
  sourceMaps.set(url, fileURLToPath(map));
  return { format: 'module', source: readCached(compiled) ?? compile(path, text, compiled, map), shortCircuit: true };
}

function readCached(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  }
}

function compile(path, text, compiled, map) {
  const output = swc.transformSync(text, { ...SWC_OPTIONS, filename: path });
  writeAtOnce(map, output.map);
  writeAtOnce(compiled, output.code);
  return output.code;
}

/** Writes the file atomically, because other workers may read it. */
function writeAtOnce(file, text) {
  const incomplete = new URL(`${file.href}.${process.pid}`);
  writeFileSync(incomplete, text);
  renameSync(incomplete, file);
}

mkdirSync(CACHE, { recursive: true });
registerHooks({ resolve, load });
