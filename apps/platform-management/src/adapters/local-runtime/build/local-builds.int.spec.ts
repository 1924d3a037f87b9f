import { afterEach, describe, expect, it } from '@jest/globals';
import { BuildsFixture } from './testing/builds-fixture.js';

describe('A build', () => {
  let fixture: BuildsFixture;
  afterEach(() => fixture.stop());

  it('runs the build command in the commit and keeps what came out', async () => {
    fixture = await BuildsFixture.start();
    const order = await fixture.order(
      { 'in.txt': 'text' },
      { buildCommand: 'tr a-z A-Z < in.txt > out.txt; id -u; env' },
    );
    const artefact = await fixture.build(order);
    expect(artefact).toEqual({ reference: order.deploymentId, commit: order.commit });
    console.log((await fixture.lines()).join('\n'));
    expect(await fixture.read(artefact, 'out.txt')).toBe('TEXT');
    expect(await fixture.leftovers()).toEqual([]);
  });
});
