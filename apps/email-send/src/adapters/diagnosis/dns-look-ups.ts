import { Resolver } from 'node:dns/promises';

const ABSENT = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

/** Look-ups for a diagnosis: nothing is there, or it is, or nobody says. */
export class DnsLookUps {
  readonly #resolver = new Resolver({ timeout: 2_000, tries: 2 });

  constructor(servers: readonly string[]) {
    if (servers.length > 0) this.#resolver.setServers([...servers]);
  }

  /** @throws where no name server answers. */
  texts(name: string): Promise<string[]> {
    return orNone(async () => (await this.#resolver.resolveTxt(name)).map(strings => strings.join('')));
  }

  /** Hosts that take mail for the domain, best first. */
  mailHosts(domain: string): Promise<string[]> {
    return orNone(async () =>
      (await this.#resolver.resolveMx(domain))
        .toSorted((one, other) => one.priority - other.priority)
        .map(({ exchange }) => exchange),
    );
  }

  async addresses(host: string): Promise<string[]> {
    const found = await Promise.all([
      orNone(() => this.#resolver.resolve4(host)),
      orNone(() => this.#resolver.resolve6(host)).catch(() => []),
    ]);
    return found.flat();
  }
}

const orNone = async (lookUp: () => Promise<string[]>): Promise<string[]> => {
  try {
    return await lookUp();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (ABSENT.has(code)) return [];
    throw new Error(`no name server could say (${code})`);
  }
};
