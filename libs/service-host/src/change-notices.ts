import { changesOf, type NatsUser, topicsOf } from '@postern/contracts';
import type { NatsLink } from '@postern/messaging';

/** A burst of changes of a resource is one notice. */
const COLLECT_MS = 200;
const MOST_TOPICS = 500;

/** Tells the gateways which resources have changed, for pages that show them. A lost notice delays a page. */
export class ChangeNotices {
  readonly #topics = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly link: Pick<NatsLink, 'connected' | 'nc'>,
    private readonly user: NatsUser,
  ) {}

  /** Call it after the commit. */
  add(topics: Iterable<string>): void {
    for (const topic of topics) this.#topics.add(topic);
    if (this.#topics.size === 0 || this.#timer) return;
    this.#timer = setTimeout(() => this.#send(), COLLECT_MS);
    this.#timer.unref();
  }

  /** The resources that events are about. */
  addEvents(events: readonly unknown[]): void {
    this.add(events.flatMap(event => topicsOf((event as { readonly data?: unknown }).data)));
  }

  #send(): void {
    this.#timer = undefined;
    const topics = [...this.#topics];
    this.#topics.clear();
    if (!this.link.connected) return;
    for (let at = 0; at < topics.length; at += MOST_TOPICS)
      this.link.nc.publish(changesOf(this.user), JSON.stringify({ topics: topics.slice(at, at + MOST_TOPICS) }));
  }
}
