import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import JestRuntime from 'jest-runtime';
import { sourceMaps } from '../typescript-modules.mjs';

const require = createRequire(import.meta.url);
const globalsModule = new URL('./globals.mjs', import.meta.url).href;

/** The exports of `@jest/globals` for the running spec file; read by globals.mjs. */
export const current = { globals: {} };

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globalsModule, shortCircuit: true } : next(specifier, context),
});

let files = 0;

/** Loads spec files and the test framework as native Node.js modules instead of in a separate context. */
export default class NativeRuntime extends JestRuntime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A spec file is loaded as a new module for each run; its imports are shared. */
  async unstable_importModule(path) {
    current.globals = this.requireModuleOrMock(path, '@jest/globals');
    files += 1;
    return import(`${pathToFileURL(path)}?run=${files}`);
  }

  /** Jest loads its test framework with this method; each spec file gets a new instance. */
  requireInternalModule(path) {
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
    delete require.cache[require.resolve(path)];
    return require(path);
  }

  getSourceMaps() {
    return sourceMaps;
  }
}
