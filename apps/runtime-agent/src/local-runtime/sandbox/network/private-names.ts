import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addressText, parseBlock, sizeOf } from './address-block.js';
import { PLATFORM_NAME } from './name-files.js';

/** A web service, as the other web services of its project reach it. */
export interface PrivateService {
  readonly webServiceId: string;
  readonly projectId: string;
  /** The name that its owner has chosen. */
  readonly name: string;
  readonly port: number;
}

/** Addresses of benchmarks (RFC 2544), which no network around the machine uses. They are only seen inside sandboxes. */
const POOL = parseBlock('198.18.0.0/15');

const SUFFIX = '.internal';

/** The host name of a web service within its project; undefined if its name has no usable character, or means the platform. */
export const privateNameOf = (name: string): string | undefined => {
  const label = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '');
  return label === '' || `${label}${SUFFIX}` === PLATFORM_NAME ? undefined : `${label}${SUFFIX}`;
};

/** The services that have a name: of several with the same name in one project, the oldest one. */
export const namedServices = <Service extends PrivateService>(
  services: Iterable<Service>,
): readonly (Service & { readonly host: string })[] => {
  const named = new Map<string, Service & { readonly host: string }>();
  // Ids begin with the time of their creation.
  for (const service of [...services].sort((a, b) => (a.webServiceId < b.webServiceId ? -1 : 1))) {
    const host = privateNameOf(service.name);
    const key = `${service.projectId} ${host}`;
    if (host !== undefined && !named.has(key)) named.set(key, { ...service, host });
  }
  return [...named.values()];
};

/** The address of each web service within its project. It is stored, because sandboxes that run know it. */
export class PrivateAddresses {
  #assigned: Map<string, number> | undefined;

  constructor(private readonly file: string) {}

  static in(platformHome: string): PrivateAddresses {
    return new PrivateAddresses(join(platformHome, 'boxes/names/private-addresses.json'));
  }

  /** Assigns addresses to new services, and frees those of all others. */
  async assign(webServiceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const before = await this.#load();
    const kept = new Map(webServiceIds.flatMap(id => (before.has(id) ? [[id, before.get(id)!] as const] : [])));
    const taken = new Set([...before.values()]);
    let next = Math.max(0, ...taken) + 1;
    for (const id of webServiceIds) {
      if (kept.has(id)) continue;
      // Addresses are not used again soon: a process may still know one.
      while (taken.has(next) || next >= sizeOf(POOL) - 1) next = next >= sizeOf(POOL) - 1 ? 1 : next + 1;
      taken.add(next);
      kept.set(id, next);
    }
    if (kept.size !== before.size || webServiceIds.some(id => !before.has(id))) await this.#save(kept);
    return new Map([...kept].map(([id, index]) => [id, addressText(POOL.first + index)]));
  }

  async #load(): Promise<Map<string, number>> {
    if (this.#assigned) return this.#assigned;
    const text = await readFile(this.file, 'utf8').catch(() => '{}');
    this.#assigned = new Map(Object.entries(JSON.parse(text) as Record<string, number>));
    return this.#assigned;
  }

  async #save(assigned: Map<string, number>): Promise<void> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    await writeFile(`${this.file}.new`, JSON.stringify(Object.fromEntries(assigned)), { mode: 0o600 });
    await rename(`${this.file}.new`, this.file);
    this.#assigned = assigned;
  }
}
