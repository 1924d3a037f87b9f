import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '@postern/contracts';
import { Database } from '@postern/service-host';
import { FIRST_NAMES, NAMES_OF_ACTORS, NAMES_OF_RESOURCES } from './audit-names.sql.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Types whose stream has the name of the type, so that a deleted resource still has the name of its creation. */
const WITH_STREAM = ['project', 'web-service', 'database', 'platform-key'] as const;

type Names = ReadonlyMap<string, string>;

/** Adds the names of actors and resources to entries of the audit log, which are stored with ids only. */
@Injectable()
export class AuditNames {
  constructor(private readonly database: Database) {}

  async addTo(entries: readonly AuditEntry[]): Promise<AuditEntry[]> {
    const actorIds = idsOf(entries.map(({ actor }) => actor.id));
    const resourceIds = idsOf(entries.map(entry => (isOfWorkspace(entry) ? entry.resource.id : null)));
    const [actors, resources] = await Promise.all([
      this.#namesOf(NAMES_OF_ACTORS, actorIds),
      this.#namesOf(NAMES_OF_RESOURCES, resourceIds),
    ]);
    const deleted = [...actorIds.filter(id => !actors.has(id)), ...resourceIds.filter(id => !resources.has(id))];
    const first = await this.#firstNamesOf(deleted);
    const nameIn = (present: Names, id: string | null) =>
      id === null ? null : (present.get(id) ?? first.get(id) ?? null);
    return entries.map(entry => ({
      ...entry,
      actor: { ...entry.actor, name: nameIn(actors, entry.actor.id) },
      resource: { ...entry.resource, name: isOfWorkspace(entry) ? nameIn(resources, entry.resource.id) : null },
    }));
  }

  async #namesOf(text: string, ids: readonly string[]): Promise<Names> {
    if (ids.length === 0) return new Map();
    const { rows } = await this.database.reads.query<{ id: string; name: string }>({ text, values: [ids] });
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  async #firstNamesOf(ids: readonly string[]): Promise<Names> {
    if (ids.length === 0) return new Map();
    const streams = new Map<string, string>(ids.flatMap(id => WITH_STREAM.map(type => [`${type}-${id}`, id] as const)));
    const query = { text: FIRST_NAMES, values: [[...streams.keys()]] };
    const { rows } = await this.database.reads.query<{ stream_id: string; name: string }>(query);
    return new Map(rows.map(({ stream_id, name }) => [streams.get(stream_id) ?? stream_id, name]));
  }
}

/** A refused call may have named a resource of another workspace, whose name its caller must not see. */
const isOfWorkspace = ({ outcome }: AuditEntry): boolean => outcome === 'succeeded';

const idsOf = (ids: readonly (string | null)[]): string[] => [
  ...new Set(ids.filter(id => id !== null && UUID.test(id)) as string[]),
];
