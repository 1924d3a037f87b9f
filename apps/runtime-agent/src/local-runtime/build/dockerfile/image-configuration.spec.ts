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

  it.each([
    [{ '8443/tcp': {}, '80/tcp': {}, '53/udp': {} }, 80],
    [{ '3000': {} }, 3000],
    [{ '53/udp': {} }, undefined],
    [{ '0/tcp': {}, '65536/tcp': {}, 'x/tcp': {}, '80-90/tcp': {} }, undefined],
    [null, undefined],
  ])('with the ports %j exposes %s', (ExposedPorts, port) => {
    expect(imageStartOf(JSON.stringify([{ Config: { ExposedPorts } }])).port).toBe(port);
  });

  it.each(['', '{}', '[]', '{"OCIv1":{"config":{"Cmd":"sh"}}}'])('is refused if it is %j', text => {
    expect(() => imageStartOf(text)).toThrow('its configuration cannot be read');
  });
});
