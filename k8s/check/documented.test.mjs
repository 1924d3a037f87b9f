import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { documentedCommands, helmCommandsOf, rehearse } from './documents.mjs';
import { objectsOf, SERVICES } from './helm.mjs';
import { broken } from './rules.mjs';
import { kubeconform } from './schemas.mjs';
import { ROOT } from './tools.mjs';

const documented = documentedCommands();

describe('The Helm commands in the documents', () => {
  for (const { title, commands } of documented) {
    it(`${title}: are accepted by Helm, valid for Kubernetes and follow the rules`, () => {
      const releases = rehearse(commands);
      assert.equal(releases.length, commands.filter(command => /^helm (upgrade|install) /.test(command)).length);
      for (const release of releases) {
        const { status, stdout } = kubeconform(release);
        assert.equal(status, 0, stdout);
        assert.match(stdout, /Skipped: 0/);
        assert.deepEqual(broken(objectsOf(release)), []);
      }
    });
  }

  it('are found in every document, in blocks and within sentences', () => {
    const documents = new Set(documented.map(({ title }) => title.split(',')[0]));
    assert.ok(documents.has('docs/kubernetes.md') && documents.has('docs/releases.md'), [...documents].join(' '));
    const text =
      '# A\n\nGo back with `helm rollback x`, or `helm lint --strict`.\n\n```text\n$ helm upgrade x \\\n  chart\n```\n';
    assert.deepEqual(
      helmCommandsOf('a.md', text).map(({ title, commands }) => [title, ...commands]),
      [
        ['a.md, A, line 5', 'helm upgrade x chart'],
        ['a.md, A, line 3', 'helm rollback x'],
      ],
    );
  });

  /** @type {[string, RegExp][]} */
  const mistakes = [
    ['helm upgrade email-send k8s/charts/service -f k8s/values/email-send.yaml', /image\.tag names the release/],
    ['helm rollback email-send --revison 3', /unknown flag: --revison/],
    ['helm roll-back email-send', /unknown command/],
  ];
  for (const [wrong, details] of mistakes)
    it(`are rejected if Helm does not accept them: ${wrong}`, () => {
      assert.throws(() => rehearse([wrong]), details);
    });

  it('cover every service and every example', () => {
    const manual = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
    for (const service of SERVICES) assert.match(manual, new RegExp(`--install ${service} k8s/charts/service`));
    for (const example of readdirSync(join(ROOT, 'k8s/examples')))
      assert.match(manual, new RegExp(`-f k8s/examples/${example}`));
  });

  it('are rejected with an unknown Kubernetes field, and with a wrong type', () => {
    const first = documented.find(({ commands }) => commands[0].startsWith('helm upgrade'));
    const [release = ''] = rehearse(first.commands);
    const misspelt = kubeconform(release.replace('revisionHistoryLimit:', 'revisionHistoryLimits:'));
    assert.notEqual(misspelt.status, 0);
    assert.match(misspelt.stdout, /revisionHistoryLimits/);
    const mistyped = kubeconform(release.replace(/containerPort: (\d+)/, 'containerPort: "$1"'));
    assert.notEqual(mistyped.status, 0);
    assert.match(mistyped.stdout, /containerPort.*got string, want integer/);
  });
});
