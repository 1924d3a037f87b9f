import * as contracts from '@postern/contracts';
import {
  type AuditRecord,
  isRequestContract,
  type ReplyOf,
  type ReportedRequest,
  type RequestContract,
  type RequestOf,
  recordAuditEntry,
  recordEmailRequests,
  recordPlatformRequests,
} from '@postern/contracts';
import { type NatsLink, PosternServer, type RequestKey, silentLog } from '@postern/messaging';

type Reply<C extends RequestContract> = (request: RequestOf<C>) => Promise<ReplyOf<C>> | ReplyOf<C>;

export const ALL_REQUESTS: readonly RequestContract[] = Object.values<unknown>(contracts).filter(isRequestContract);

/** Fakes of all services: they reply over real NATS as configured by the test. */
export class FakeServices {
  readonly received: { readonly contract: string; readonly request: unknown }[] = [];
  /** Audit log entries of the gateway; not among `received`. */
  readonly audited: AuditRecord[] = [];
  /** Requests in the log of the gateway; not among `received`. */
  readonly logged: ReportedRequest[] = [];
  /** The keys of commands that clients may repeat. */
  readonly keys: RequestKey[] = [];
  /** Whether a command with a key was answered before. */
  replaysKeyed = false;
  readonly #replies = new Map<string, (request: never) => unknown>();
  readonly #server: PosternServer;

  constructor(link: NatsLink) {
    const keyed = {
      answer: async (key: RequestKey, work: () => Promise<unknown>) => {
        this.keys.push(key);
        return { ok: await work(), replayed: this.replaysKeyed };
      },
    };
    this.#server = new PosternServer({ link, service: 'email-send', log: silentLog, concurrency: 1_000, keyed });
    for (const contract of ALL_REQUESTS) {
      const reply = async (request: unknown) => this.#reply(contract, request);
      this.#server.handle(contract, reply);
    }
  }

  async start(): Promise<void> {
    this.#server.listen();
  }

  stop(): Promise<void> {
    return this.#server.close();
  }

  /** Sets the reply to `contract`; a thrown `Refusal` becomes a refusal. */
  on<C extends RequestContract>(contract: C, reply: Reply<C>): void {
    this.#replies.set(contract.subject, reply as (request: never) => unknown);
  }

  requestsOf<C extends RequestContract>(contract: C): RequestOf<C>[] {
    return this.received.filter(one => one.contract === contract.name).map(one => one.request as RequestOf<C>);
  }

  reset(): void {
    this.received.length = 0;
    this.audited.length = 0;
    this.logged.length = 0;
    this.keys.length = 0;
    this.replaysKeyed = false;
    this.#replies.clear();
  }

  #reply(contract: RequestContract, request: unknown): unknown {
    if (contract === recordEmailRequests || contract === recordPlatformRequests) {
      this.logged.push(...(request as RequestOf<typeof recordEmailRequests>).requests);
      return {};
    }
    if (contract === recordAuditEntry) this.audited.push(request as AuditRecord);
    else this.received.push({ contract: contract.name, request });
    const reply = this.#replies.get(contract.subject);
    if (!reply && contract === recordAuditEntry) return {};
    if (!reply) throw new Error(`No reply to ${contract.name} is arranged`);
    return reply(request as never);
  }
}
