/**
 * `@jest/globals` for native spec files. Modules outlive a spec file, so each export forwards to the globals of the spec
 * file that runs.
 */
import { current } from './runtime.mjs';

const forward = name =>
  new Proxy(() => {}, {
    apply: (_, self, args) => current.globals[name].apply(self, args),
    get: (_, property) => current.globals[name][property],
  });

export const afterAll = forward('afterAll');
export const afterEach = forward('afterEach');
export const beforeAll = forward('beforeAll');
export const beforeEach = forward('beforeEach');
export const describe = forward('describe');
export const expect = forward('expect');
export const it = forward('it');
export const jest = forward('jest');
export const test = forward('test');
