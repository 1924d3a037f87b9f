import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { Loading } from './loading.js';
import { SessionContext } from './session.js';

/** A resource that a page shows: `web-services/<id>`, `email-services/<id>`, `databases/<id>`, or everything. */
export type Topic = string;

/** Many changes within this time are one reload. */
const COLLECT_MS = 1_000;
/** How often pages read again while there is no stream, for example behind a proxy that does not pass it on. */
const WITHOUT_STREAM_MS = 10_000;
/** A tab that nobody sees closes its stream: browsers open only six connections to an installation. */
const HIDDEN_MS = 60_000;

/** What a reload listens to. */
interface Listener {
  readonly topic: Topic | undefined;
  readonly reload: () => void;
}

/** The stream of changes of this tab, and the pages that show what changes. */
export class Changes {
  readonly #listeners = new Set<Listener>();
  readonly #due = new Set<Listener>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #source: EventSource | undefined;
  #isConnected = false;
  #hiddenTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly open: () => EventSource = () => new EventSource('/dashboard/api/changes'),
    private readonly collectMs = COLLECT_MS,
  ) {}

  listen(topic: Topic | undefined, reload: () => void): () => void {
    const listener = { topic, reload };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#due.delete(listener);
    };
  }

  /** Follows the changes until the returned function is called, which happens when the session ends. */
  start(): () => void {
    this.#connect();
    const fallback = setInterval(() => {
      if (!this.#isConnected && !document.hidden) this.#all();
    }, WITHOUT_STREAM_MS);
    const onVisibility = () => {
      clearTimeout(this.#hiddenTimer);
      if (document.hidden) this.#hiddenTimer = setTimeout(() => this.#close(), HIDDEN_MS);
      else if (!this.#source) {
        this.#connect();
        this.#all();
      }
    };
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearInterval(fallback);
      clearTimeout(this.#hiddenTimer);
      document.removeEventListener('visibilitychange', onVisibility);
      this.#close();
    };
  }

  /** Reloads the listeners of the topics; a change of a workspace concerns every page. */
  changed(topics: readonly Topic[]): void {
    const isAny = topics.some(topic => topic.startsWith('workspaces/'));
    for (const listener of this.#listeners)
      if (isAny || listener.topic === undefined || topics.includes(listener.topic)) this.#due.add(listener);
    if (this.#due.size > 0) this.#timer ??= setTimeout(() => this.#flush(), this.collectMs);
  }

  #connect(): void {
    const source = this.open();
    this.#source = source;
    let isFirst = true;
    source.addEventListener('open', event => {
      // The connection also opens; only the event of the server has data.
      if (!('data' in event)) return;
      this.#isConnected = true;
      // Changes were missed between two connections.
      if (!isFirst) this.#all();
      isFirst = false;
    });
    source.addEventListener('change', event => {
      const { topics } = JSON.parse((event as MessageEvent<string>).data) as { topics: Topic[] };
      this.changed(topics);
    });
    source.addEventListener('end', () => {
      this.#close();
      // The next read notices that the session has ended.
      this.#all();
    });
    source.onerror = () => {
      this.#isConnected = false;
    };
  }

  #all(): void {
    for (const listener of this.#listeners) this.#due.add(listener);
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const due = [...this.#due];
    this.#due.clear();
    for (const { reload } of due) reload();
  }

  #close(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#isConnected = false;
  }
}

export const ChangesContext = createContext(new Changes());

/**
 * Reloads when the resource changes, or anything if no topic is given. `everyMs` is for what changes without a notice, such as
 * metrics.
 */
export const useLive = (
  { reload }: Pick<Loading<unknown>, 'reload'>,
  topic?: Topic,
  everyMs?: number | undefined,
): void => {
  const changes = useContext(ChangesContext);
  const { expired } = useContext(SessionContext);
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(
    () => (expired ? undefined : changes.listen(topic, () => !document.hidden && latest.current())),
    [changes, topic, expired],
  );
  useEffect(() => {
    if (everyMs === undefined || expired) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, expired]);
};
