import type { DashboardClient } from '@postern/local-start';
import type { EmailApi } from './clients/email-client.js';
import {
  type EmailRecord,
  eventKey,
  type ListedEmail,
  type Observation,
  type ObservedTraffic,
} from './observed-traffic.js';
import { returnedIds } from './rules/evidence.js';

const PAGE = 100;
const AT_ONCE = 8;

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

interface Delivery {
  readonly payload: { readonly event: string; readonly email_id: string; readonly to: string };
}

/** Reads everything that Postern reports about the messages of one email service. */
export class Observer {
  private readonly final = new Map<string, { status: number; record: EmailRecord | null }>();

  constructor(
    private readonly dashboard: DashboardClient,
    private readonly api: EmailApi,
    private readonly serviceId: string,
    private readonly webhookId: string,
    private readonly firstDay: string,
  ) {}

  /** @throws if Postern does not respond. */
  async observe(traffic: ObservedTraffic): Promise<Observation> {
    const ids = new Set([...returnedIds(traffic), ...traffic.taken.map(({ emailId }) => emailId)]);
    const today = new Date().toISOString().slice(0, 10);
    const { total } = await this.dashboard.get<{ total: Record<string, number> }>(
      `${this.path}/stats?from=${this.firstDay}&to=${today}`,
    );
    const pending = await this.pages<Delivery>(`/webhooks/${this.webhookId}/deliveries?state=pending&`);
    return {
      records: await this.records([...ids]),
      listed: await this.pages<ListedEmail>('/emails?'),
      totals: total,
      scheduled: new Set(pending.map(({ payload: { event, email_id, to } }) => eventKey(event, email_id, to))),
    };
  }

  /** The dashboard's timeline of one message, or the text of the error. */
  timelineOf(emailId: string): Promise<unknown> {
    return this.dashboard.get(`${this.path}/emails/${emailId}`).catch(error => String(error));
  }

  private get path(): string {
    return `/email-services/${this.serviceId}`;
  }

  private async pages<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (;;) {
      const page = await this.dashboard.get<Page<Item>>(`${this.path}${path}limit=${PAGE}&offset=${items.length}`);
      items.push(...page.items);
      if (page.items.length < PAGE) return items;
    }
  }

  private async records(ids: readonly string[]): Promise<Observation['records']> {
    const waiting = ids.filter(id => !this.final.has(id));
    const found = new Map(this.final);
    const readNext = async (): Promise<void> => {
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const answer = await this.record(id);
        found.set(id, answer);
        if (answer.record?.status === 'sent') this.final.set(id, answer);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, readNext));
    return found;
  }

  private async record(id: string): Promise<{ status: number; record: EmailRecord | null }> {
    const response = await fetch(`${this.api.baseUrl}/emails/${id}`, {
      headers: { 'api-key': this.api.apiKey },
      signal: AbortSignal.timeout(30_000),
    });
    const body = (await response.json()) as EmailRecord;
    return { status: response.status, record: response.ok ? body : null };
  }
}
