import type { ReplyOf, RequestContract, RequestOf } from '@postern/contracts';
import * as contracts from '@postern/contracts';
import { type NatsLink, PosternServer, silentLog } from '@postern/messaging';

type Answer<C extends RequestContract> = (request: RequestOf<C>) => Promise<ReplyOf<C>> | ReplyOf<C>;

const isRequestContract = (value: unknown): value is RequestContract =>
  typeof value === 'object' && value !== null && 'subject' in value && 'deadlineMs' in value;

export const ALL_REQUESTS: readonly RequestContract[] = Object.values<unknown>(contracts).filter(isRequestContract);

/** Every service of the platform as the gateway sees it: contracts answered over real NATS, by what a spec says. */
export class FakeServices {
  readonly asked: { readonly contract: string; readonly request: unknown }[] = [];
  private readonly answers = new Map<string, (request: never) => unknown>();
  private readonly server: PosternServer;

  constructor(link: NatsLink) {
    this.server = new PosternServer({ link, service: 'email-send', log: silentLog, concurrency: 1_000 });
    for (const contract of ALL_REQUESTS) {
      const answer = async (request: unknown) => this.answer(contract, request);
      this.server.handle(contract, answer);
    }
  }

  async start(): Promise<void> {
    this.server.listen();
  }

  stop(): Promise<void> {
    return this.server.close();
  }

  /** From now on `contract` is answered so; a thrown `Refusal` is a refusal. */
  on<C extends RequestContract>(contract: C, answer: Answer<C>): void {
    this.answers.set(contract.subject, answer as (request: never) => unknown);
  }

  requestsOf<C extends RequestContract>(contract: C): RequestOf<C>[] {
    return this.asked.filter(one => one.contract === contract.name).map(one => one.request as RequestOf<C>);
  }

  forget(): void {
    this.asked.length = 0;
    this.answers.clear();
  }

  private answer(contract: RequestContract, request: unknown): unknown {
    this.asked.push({ contract: contract.name, request });
    const answer = this.answers.get(contract.subject);
    if (!answer) throw new Error(`No answer to ${contract.name} was arranged`);
    return answer(request as never);
  }
}
