import { describe, expect, it } from '@jest/globals';
import { imageReference, imageReferenceText, readImageReference } from './image-reference.js';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('The reference of an image', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['nginx:1.27', 'docker.io/library/nginx:1.27'],
    ['docker.io/nginx', 'docker.io/library/nginx:latest'],
    ['index.docker.io/library/nginx:1', 'docker.io/library/nginx:1'],
    ['grafana/grafana:11.2.0', 'docker.io/grafana/grafana:11.2.0'],
    ['ghcr.io/ada/engine:v1.2', 'ghcr.io/ada/engine:v1.2'],
    ['GHCR.IO/ada/engine:v1.2', 'ghcr.io/ada/engine:v1.2'],
    ['registry.example.com:5000/shop/web', 'registry.example.com:5000/shop/web:latest'],
    ['localhost/web', 'localhost/web:latest'],
    ['localhost:5000/web:1', 'localhost:5000/web:1'],
    ['127.0.0.1:5000/web:1', '127.0.0.1:5000/web:1'],
    ['[::1]:5000/web:1', '[::1]:5000/web:1'],
    ['a/b/c/d-e/f__g/h.i_j--k:T_a.g-1', 'docker.io/a/b/c/d-e/f__g/h.i_j--k:T_a.g-1'],
    ['localhost:5000', 'docker.io/library/localhost:5000'],
    [`ghcr.io/ada/engine@${DIGEST}`, `ghcr.io/ada/engine@${DIGEST}`],
    [`ghcr.io/ada/engine:v1@${DIGEST}`, `ghcr.io/ada/engine:v1@${DIGEST}`],
    [`localhost:5000/web@${DIGEST}`, `localhost:5000/web@${DIGEST}`],
  ])('%s means %s', (text, meant) => {
    const reference = readImageReference(text);
    if ('problem' in reference) throw new Error(reference.problem);
    expect(imageReferenceText(reference)).toBe(meant);
    expect(readImageReference(meant)).toEqual(reference);
  });

  it.each([
    ['https://ghcr.io/ada/engine', /scheme/],
    ['docker://nginx', /scheme/],
    ['nginx ', /spaces/],
    ['nginx\n:1', /spaces/],
    ['Nginx', /lower case/],
    ['ghcr.io/Ada/engine', /lower case/],
    ['ghcr.io/', /must be a reference such as/],
    ['/nginx', /must be a reference such as/],
    ['ghcr.io//engine', /must be a reference such as/],
    ['-oops', /must be a reference such as/],
    ['a..b', /must be a reference such as/],
    ['a___b', /must be a reference such as/],
    ['ghcr.io/../etc/passwd', /must be a reference such as/],
    ['a\0b', /must be a reference such as/],
    ['ghcr.io/ada/engine?x=1', /must be a reference such as/],
    ['nginx:', /tag/],
    ['nginx:-1', /tag/],
    [`nginx:${'x'.repeat(129)}`, /tag/],
    ['ghcr.io/ada/engine:v1:v2', /tag/],
    ['user:password@ghcr.io/ada/engine', /sha256/],
    ['nginx@', /sha256/],
    ['nginx@sha256:abc', /sha256/],
    [`nginx@${DIGEST.toUpperCase()}`, /sha256/],
    [`nginx@sha512:${'0'.repeat(128)}`, /sha256/],
    [`nginx@${DIGEST}@${DIGEST}`, /sha256/],
    ['host.example:0/web', /registry/],
    ['host.example:65536/web', /registry/],
    ['-host.example/web', /registry/],
    ['host..example/web', /registry/],
    ['[::1/web', /registry/],
    ['a'.repeat(256), /255/],
    ['0123456789abcdef'.repeat(4), /not its id/],
  ])('cannot be %j', (text, problem) =>
    expect(readImageReference(text)).toEqual({ problem: expect.stringMatching(problem) }),
  );

  it('is read in time that grows with its length only', () => {
    const before = process.cpuUsage();
    for (const text of [`${'a-'.repeat(250)}!`, `${'a'.repeat(500)}!/b`, `${'a.'.repeat(250)}/`, ':'.repeat(500)])
      expect(imageReference.safeParse(text).success).toBe(false);
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });
});
