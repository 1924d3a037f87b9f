// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables.
import { describe, expect, it } from '@jest/globals';
import type { BuildOrder } from '@postern/runtime';
import { resolvedOptions } from './dockerfile-options.js';

const resolved = (buildArguments: Record<string, string>, environment: Record<string, string> = {}) =>
  resolvedOptions({ dockerfile: { target: 'web', buildArguments }, environment } as unknown as BuildOrder);

describe('a build argument', () => {
  it.each([
    ['${A}', 'one'],
    ['${A}${B} and ${A}', 'one$& and one'],
    ['$A $${A} ${} ${1A} ${A', '$A $one ${} ${1A} ${A'],
    ['${C}', '${A}'],
  ])('%s is %s', (value, expected) => {
    const environment = { A: 'one', B: '$&', C: '${A}' };
    expect(resolved({ X: value }, environment)).toEqual({ target: 'web', buildArguments: { X: expected } });
  });

  it.each(['MISSING', 'toString', '__proto__'])('may not refer to %s, which is no variable', variable => {
    expect(() => resolved({ X: `\${${variable}}` })).toThrow(`X refers to \${${variable}}, but the web service has no`);
  });

  it('may refer to large variables only as far as a command can have them', () => {
    const environment = { A: 'é'.repeat(32_768) };
    expect(resolved({ X: '${A}' }, environment).buildArguments['X']).toHaveLength(32_768);
    expect(() => resolved({ X: '${A}', Y: '${A}' }, environment)).toThrow('more than 65536 bytes in total');
  });
});
