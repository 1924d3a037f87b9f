import type { DiskRestore, RunOrder, ServicePlan } from '@postern/runtime';
import { assembleLocalRuntime } from '../assemble-local-runtime.js';
import { assemblyFor } from './local-runtime-assembly.js';

/** Orders from the test, over the channel of a forked process. */
export type Order =
  | { readonly kind: 'roll'; readonly plan: ServicePlan }
  | { readonly kind: 'run'; readonly order: RunOrder }
  | { readonly kind: 'restore disk'; readonly restore: DiskRestore }
  | { readonly kind: 'reconcile'; readonly plans: readonly ServicePlan[] };

const runtime = assembleLocalRuntime(await assemblyFor(process.argv[2] ?? '', 'by all means'));

const carryOut = (order: Order): Promise<unknown> => {
  const never = new AbortController().signal;
  if (order.kind === 'roll') return runtime.roll(order.plan, never);
  if (order.kind === 'run') return runtime.run(order.order, never);
  if (order.kind === 'restore disk') return runtime.restoreDisk(order.restore, never);
  return runtime.reconcile(order.plans, new Set());
};

process.on('message', (order: Order) => {
  carryOut(order).then(
    () => process.send?.('done'),
    (error: unknown) => process.send?.(String(error)),
  );
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
