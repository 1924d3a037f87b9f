import { Refusal } from '@postern/contracts/refusal';
import { requireOneSource, withReplacedSource } from '../source/one-source.js';
import type { OwnerCommand, ReconcilerCommand } from './commands.js';
import { cancelAll } from './decide-deployments.js';
import type { Settings, WebServiceEvent } from './events.js';
import type { WebService } from './state.js';

type Command<Kind> = Extract<OwnerCommand | ReconcilerCommand, { kind: Kind }>;

/** Records the settings that differ. Numbers of instances apply immediately, all other settings from the next release. */
export function change({ changes: given, at }: Command<'change'>, state: WebService): WebServiceEvent[] {
  const before = state.settings!;
  const changes = withReplacedSource(given);
  const after = { ...before, ...changes };
  requireOneSource(after);
  const { min_instances, max_instances, disk } = after;
  if (max_instances < min_instances) {
    throw new Refusal('invalid_input', 'max_instances: must not be below min_instances');
  }
  if (disk && max_instances > 1) {
    throw new Refusal('invalid_input', 'max_instances: a web service with a disk runs one instance; it must be 1');
  }
  if (state.preview && changes.previews) {
    throw new Refusal('invalid_input', 'previews: a preview cannot have previews of its own');
  }
  const smallest = Math.max(before.disk?.size_mib ?? 0, state.largestDiskMib ?? 0);
  if (disk && disk.size_mib !== before.disk?.size_mib && disk.size_mib < smallest) {
    throw new Refusal('invalid_input', `disk.size_mib: must not be below ${smallest}; a disk can only grow`);
  }
  const different = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && textOf(value) !== textOf(before[name as keyof Settings]),
  );
  if (different.length === 0) return [];
  return [
    {
      type: 'platform-management.web-service-changed.v1',
      data: { web_service_id: state.id!, changes: Object.fromEntries(different), at },
    },
  ];
}

/** The web service no longer exists for users; the reconciler stops its instances and deletes its data. */
export function requestDeletion({ at }: Command<'delete'>, state: WebService): WebServiceEvent[] {
  return [
    ...cancelAll(state, 'stop', at),
    { type: 'platform-management.web-service-deletion-requested.v1', data: { web_service_id: state.id!, at } },
  ];
}

/** Reported once the runtime has confirmed the removal. */
export function finishRemoval({ at }: Command<'finish-removal'>, state: WebService): WebServiceEvent[] {
  if (!state.deleting || state.rolling) return [];
  return [{ type: 'platform-management.web-service-deleted.v1', data: { web_service_id: state.id!, at } }];
}

/** Treats null like an absent field, and ignores the order of process types. */
const textOf = (value: unknown): string =>
  JSON.stringify(
    typeof value === 'object' && value !== null
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      : (value ?? null),
  );
