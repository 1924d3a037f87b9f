import { describe, expect, it } from '@jest/globals';
import { packagesOf, sbomOf } from './sbom.mjs';

const lockfile = {
  packages: {
    '': { name: 'postern', version: '0.0.0' },
    'libs/mail': { name: '@postern/mail', version: '0.1.0' },
    'node_modules/@postern/mail': { link: true, resolved: 'libs/mail' },
    'node_modules/zod': { version: '4.0.0' },
    'node_modules/zod/node_modules/@scope/inner': { version: '2.0.0' },
    'node_modules/zod-extra': { version: '1.0.0' },
  },
};
const component = (name: string) => ({ 'bom-ref': name, name });
const document = {
  bomFormat: 'CycloneDX',
  metadata: { component: component('postern') },
  components: ['zod@4.0.0', 'zod-extra@1.0.0', '@scope/inner@2.0.0'].map(component),
  dependencies: [{ ref: 'zod@4.0.0', dependsOn: ['@scope/inner@2.0.0', 'zod-extra@1.0.0'] }],
};
const image = { app: 'email-send', version: '1.2.3', node: '24.0.0' };

describe('the packages of an image', () => {
  it('are those that contain one of its files, the innermost package first', () => {
    const files = [
      'node_modules/zod/index.js',
      'node_modules/zod/node_modules/@scope/inner/a/b.js',
      'libs/mail/dist/x.js',
    ];
    expect([...packagesOf(files, lockfile)]).toEqual(['zod@4.0.0', '@scope/inner@2.0.0', '@postern/mail@0.1.0']);
  });

  it('are described with the dependencies among them, and with Node.js', () => {
    const sbom = sbomOf(document, new Set(['zod@4.0.0', '@scope/inner@2.0.0']), image);
    expect(sbom.metadata.component).toMatchObject({ name: 'postern/email-send', version: '1.2.3' });
    expect(sbom.components.map(({ 'bom-ref': name }) => name)).toEqual([
      'zod@4.0.0',
      '@scope/inner@2.0.0',
      'node@24.0.0',
    ]);
    expect(sbom.dependencies.at(-1)).toEqual({ ref: 'zod@4.0.0', dependsOn: ['@scope/inner@2.0.0'] });
  });

  it('must all be described', () => {
    expect(() => sbomOf(document, new Set(['unknown@1.0.0']), image)).toThrow(
      'npm sbom does not describe unknown@1.0.0',
    );
  });
});
