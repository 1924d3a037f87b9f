import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { documentedBlocks, objectsOf, rehearse, SERVICES } from './helm.mjs';
import { broken } from './laws.mjs';
import { kubeconform } from './schemas.mjs';
import { ROOT } from './tools.mjs';

const blocks = documentedBlocks().filter(({ script }) => script.includes('helm upgrade'));

describe('What the README tells to install', () => {
  for (const { title, script } of blocks) {
    it(`${title} is valid for Kubernetes and keeps our laws`, () => {
      const releases = rehearse(script);
      assert.equal(releases.length, script.match(/^helm upgrade/gm).length);
      for (const release of releases) {
        const { status, stdout } = kubeconform(release);
        assert.equal(status, 0, stdout);
        assert.match(stdout, /Skipped: 0/);
        assert.deepEqual(broken(objectsOf(release)), []);
      }
    });
  }

  it('covers every service alone and every example', () => {
    const readme = readFileSync(join(ROOT, 'k8s/README.md'), 'utf8');
    for (const service of SERVICES) assert.match(readme, new RegExp(`--install ${service} k8s/charts/service`));
    for (const example of readdirSync(join(ROOT, 'k8s/examples')))
      assert.match(readme, new RegExp(`-f k8s/examples/${example}`));
  });

  it('is told from a field that Kubernetes does not know, and from a wrong type', () => {
    const [release] = rehearse(blocks[0].script);
    const misspelt = kubeconform(release.replace('revisionHistoryLimit:', 'revisionHistoryLimits:'));
    assert.notEqual(misspelt.status, 0);
    assert.match(misspelt.stdout, /revisionHistoryLimits/);
    const mistyped = kubeconform(release.replace(/containerPort: (\d+)/, 'containerPort: "$1"'));
    assert.notEqual(mistyped.status, 0);
    assert.match(mistyped.stdout, /containerPort.*got string, want integer/);
  });
});
