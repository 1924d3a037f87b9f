import type { ServicePlan } from '@postern/runtime';
import { assembleLocalRuntime } from '../assemble-local-runtime.js';
import { assemblyFor } from './local-runtime-assembly.js';

/** Orders from the test, over the channel of a forked process. */
export type Order =
  | { readonly kind: 'roll'; readonly plan: ServicePlan }
  | { readonly kind: 'reconcile'; readonly plans: readonly ServicePlan[] };

const runtime = assembleLocalRuntime(await assemblyFor(process.argv[2] ?? '', 'by all means'));

process.on('message', (order: Order) => {
  const done =
    order.kind === 'roll'
      ? runtime.roll(order.plan, new AbortController().signal)
      : runtime.reconcile(order.plans, new Set());
  done.then(
    () => process.send?.('done'),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
