import { nameEmailResources, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { apiKeyStream } from '../api-keys/api-key.js';
import { emailServiceStream } from '../email-services/email-service.js';
import { sendingDomainStream } from '../sending-domains/sending-domain.js';
import { FIRST_NAMES, NAMES_OF_RESOURCES } from './resource-names.sql.js';

/** The streams of a deleted resource, whose first event has its name. */
const STREAMS = [emailServiceStream, apiKeyStream, sendingDomainStream];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds the names of email services, their keys, domains, verified recipients and templates. */
@Handles(nameEmailResources)
export class NameResources {
  constructor(private readonly database: Database) {}

  async execute({ ids }: RequestOf<typeof nameEmailResources>): Promise<ReplyOf<typeof nameEmailResources>> {
    const { rows: present } = await this.database.reads.query<Named>({ text: NAMES_OF_RESOURCES, values: [ids] });
    const known = new Set(present.map(({ id }) => id));
    const deleted = await this.#firstNamesOf(ids.filter(id => !known.has(id)));
    return { resources: [...present, ...deleted] };
  }

  async #firstNamesOf(ids: readonly string[]): Promise<readonly Named[]> {
    const streams = new Map(ids.flatMap(id => STREAMS.map(streamOf => [streamOf(id), id] as const)));
    const query = { text: FIRST_NAMES, values: [[...streams.keys()]] };
    const { rows } = await this.database.reads.query<{ stream_id: string; name: string }>(query);
    return rows.map(({ stream_id, name }) => ({ id: streams.get(stream_id)!, name }));
  }
}
