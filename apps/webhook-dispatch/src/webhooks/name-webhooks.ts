import { nameWebhooks, type ReplyOf, type RequestOf } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Database } from '@postern/service-host';
import { webhookStream } from './webhook.js';
import { FIRST_URLS, URLS_OF_WEBHOOKS } from './webhook-names.sql.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds the URLs of webhooks, also of deleted ones. */
@Handles(nameWebhooks)
export class NameWebhooks {
  constructor(private readonly database: Database) {}

  async execute({ ids }: RequestOf<typeof nameWebhooks>): Promise<ReplyOf<typeof nameWebhooks>> {
    const { rows: present } = await this.database.reads.query<Named>({ text: URLS_OF_WEBHOOKS, values: [ids] });
    const known = new Set(present.map(({ id }) => id));
    const streams = new Map(ids.filter(id => !known.has(id)).map(id => [webhookStream(id), id]));
    const query = { text: FIRST_URLS, values: [[...streams.keys()]] };
    const { rows: first } = await this.database.reads.query<{ stream_id: string; name: string }>(query);
    return { resources: [...present, ...first.map(({ stream_id, name }) => ({ id: streams.get(stream_id)!, name }))] };
  }
}
