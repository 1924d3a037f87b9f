/** The audit log entry of a command; one of its arguments is the id of the resource. */
export interface AuditedCommand {
  readonly action: string;
  readonly idFrom?: (rest: readonly string[]) => string | undefined;
}

const second = ([, id]: readonly string[]) => id;
const projection = ([service, name]: readonly string[]) => (name === undefined ? service : `${service}:${name}`);

/** Every command that changes data; an address is never an id. */
export const AUDITED = {
  'projections rebuild': { action: 'projection.rebuilt', idFrom: projection },
  'events retry': { action: 'event.retried', idFrom: second },
  'events discard': { action: 'event.discarded', idFrom: second },
  'bounces reclassify': { action: 'bounce.reclassified' },
  'users create': { action: 'user.created' },
  'keys rotate': { action: 'encryption_key.rotated' },
  'recipients erase': { action: 'recipient.erased' },
  'recipients remove-opt-out': { action: 'opt_out.deleted' },
} as const satisfies Readonly<Record<string, AuditedCommand>>;

/** The full name of a command that changes data. */
export type AuditedName = keyof typeof AUDITED;
