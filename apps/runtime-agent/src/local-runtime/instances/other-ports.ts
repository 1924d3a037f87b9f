import type { InstanceRecord } from './instance-record.js';

type Kind = Pick<InstanceRecord, 'webServiceId' | 'artefact'>;

/**
 * The port on which the instances of a web service listen instead of PORT, so that later ones with the same artefact need not be
 * watched for as long as the first one.
 */
export class OtherPorts {
  readonly #known = new Map<string, { readonly artefact: string; readonly port: number }>();

  of({ webServiceId, artefact }: Kind): number | undefined {
    const known = this.#known.get(webServiceId);
    return known?.artefact === artefact ? known.port : undefined;
  }

  set({ webServiceId, artefact }: Kind, port: number | undefined): void {
    if (port === undefined) this.#known.delete(webServiceId);
    else this.#known.set(webServiceId, { artefact, port });
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
  }
}

const MOST = 1_000;
