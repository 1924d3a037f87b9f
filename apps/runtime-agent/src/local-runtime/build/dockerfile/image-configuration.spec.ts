import { describe, expect, it } from '@jest/globals';
import { imageStartOf } from './image-configuration.js';

const config = { Env: ['PATH=/bin', 'EMPTY=', 'A.B=x'], Entrypoint: ['/start'], Cmd: ['web'], WorkingDir: '/srv' };

describe('The configuration of an image', () => {
  it.each([
    ['Buildah', { OCIv1: { config } }],
    ['Podman', [{ Config: config }]],
  ])('is read from the output of %s', (_, printed) => {
    expect(imageStartOf(JSON.stringify(printed))).toEqual({
      kind: 'image',
      argv: ['/start', 'web'],
      environment: { PATH: '/bin', EMPTY: '' },
      workingDirectory: '/srv',
    });
  });

  it('may be empty', () => {
    const nothing = { kind: 'image', argv: [], environment: {}, workingDirectory: '/' };
    expect(imageStartOf('[{"Config":{"Env":null,"WorkingDir":""}}]')).toEqual(nothing);
  });

  it.each(['', '{}', '[]', '{"OCIv1":{"config":{"Cmd":"sh"}}}'])('is refused if it is %j', text => {
    expect(() => imageStartOf(text)).toThrow('its configuration cannot be read');
  });
});
