import type { Artefact, BuildOrder } from '@postern/runtime';
import { LogStore } from '../../logs/log-store.js';
import { redactor } from '../../redactor.js';
import { assembleForTests, type FixtureOptions } from './assemble-for-tests.js';

export type BuildsOrder =
  | { readonly kind: 'build'; readonly order: BuildOrder }
  | { readonly kind: 'cancel'; readonly deploymentId: string }
  | { readonly kind: 'reconcile' };

export type BuildsAnswer =
  | { readonly kind: 'ready' | 'reconciled' }
  | { readonly kind: 'built'; readonly deploymentId: string; readonly artefact: Artefact }
  | { readonly kind: 'failed'; readonly deploymentId: string; readonly name: string; readonly message: string };

const [home = '', options = '{}'] = process.argv.slice(2);
const { builds } = await assembleForTests(home, JSON.parse(options) as FixtureOptions);
const logs = new LogStore(home, redactor);
const underWay = new Map<string, AbortController>();

const answer = (message: BuildsAnswer): void => void process.send?.(message);

const build = async (order: BuildOrder): Promise<void> => {
  const { deploymentId, webServiceId, secrets } = order;
  const control = new AbortController();
  underWay.set(deploymentId, control);
  const output = logs.writer(webServiceId, 'build', secrets);
  const message = await builds.build(order, output, control.signal).then(
    (artefact): BuildsAnswer => ({ kind: 'built', deploymentId, artefact }),
    ({ name, message }: Error): BuildsAnswer => ({ kind: 'failed', deploymentId, name, message }),
  );
  await output.close();
  answer(message);
};

process.on('message', (order: BuildsOrder) => {
  if (order.kind === 'build') void build(order.order);
  else if (order.kind === 'cancel') underWay.get(order.deploymentId)?.abort(new Error('cancelled'));
  else void builds.reconcile().then(() => answer({ kind: 'reconciled' }));
});
process.on('disconnect', () => process.exit());
answer({ kind: 'ready' });
