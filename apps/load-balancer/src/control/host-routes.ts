import { z } from 'zod';
import type { DurableFile } from './durable-file.js';

export const hostRoutesShape = z.record(z.string(), z.string());

/** Web services by custom domain, in lower case. Each order replaces all domains. */
export class HostRoutes {
  #services = new Map<string, string>();

  constructor(private readonly file: DurableFile<z.infer<typeof hostRoutesShape>>) {}

  async load(): Promise<void> {
    this.#services = new Map(Object.entries((await this.file.load()) ?? {}));
  }

  /** Durable when it returns. Unchanged routes are not written. */
  async replace(services: Readonly<Record<string, string>>): Promise<void> {
    const next = new Map(Object.entries(services));
    const isSame =
      next.size === this.#services.size && [...next].every(([name, id]) => this.#services.get(name) === id);
    if (isSame) return;
    await this.file.save(Object.fromEntries(next));
    this.#services = next;
  }

  services(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#services);
  }
}
