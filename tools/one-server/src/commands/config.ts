import { startChanged, writeChanges } from '../applying/apply.js';
import type { Change } from '../applying/changes.js';
import { differenceOf } from '../applying/difference.js';
import { isApplicationPending } from '../applying/pending.js';
import { planOf } from '../applying/plan.js';
import { SecretStore } from '../machine/secret-store.js';
import { withLock } from '../operations/lock.js';
import { prepareFolders } from '../operations/prepare-machine.js';
import { untilHealthy } from '../services/health.js';

type Print = (line: string) => void;

const show = async (changes: readonly Change[], print: Print): Promise<void> => {
  for (const change of changes) print((await differenceOf(change)).trimEnd());
};

/** `config check`: reads the configuration and shows what `config apply` would change. */
export const checkConfiguration = async (print: Print): Promise<void> => {
  const { changes } = await planOf();
  await show(changes, print);
  print(
    changes.length === 0 ? 'No changes.' : `${changes.length} files would change. Apply them: postern config apply`,
  );
};

/** `config apply`: shows the difference, writes it, and restarts only what it concerns. */
export const applyConfiguration = (print: Print): Promise<void> =>
  withLock(async () => {
    const plan = await planOf();
    const resumed = isApplicationPending();
    if (plan.changes.length === 0 && !resumed) {
      print('No changes.');
      return;
    }
    await show(plan.changes, print);
    new SecretStore().generate();
    await writeChanges(plan);
    await prepareFolders(plan.model);
    await startChanged(plan.files, print);
    await untilHealthy(plan.model.configuration, print);
    print(resumed ? 'The interrupted application is complete.' : `${plan.changes.length} files were changed.`);
  });
