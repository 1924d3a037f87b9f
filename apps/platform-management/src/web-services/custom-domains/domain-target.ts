import { Injectable } from '@nestjs/common';
import { Refusal } from '@postern/contracts/refusal';
import { Runtime } from '@postern/runtime';

/** The host names of web services, which custom domains point to. */
@Injectable()
export class DomainTarget {
  constructor(private readonly runtime: Runtime) {}

  /** @throws the refusal `runtime_unavailable`. */
  of({ id, name }: { readonly id: string; readonly name: string }): Promise<string> {
    return answered(async () => new URL(await this.runtime.urlOf(id, name)).hostname);
  }

  /** Whether the runtime routes custom domains. @throws the refusal `runtime_unavailable`. */
  isSupported(): Promise<boolean> {
    return answered(async () => (await this.runtime.features()).has('customDomains'));
  }
}

const answered = <T>(call: () => Promise<T>): Promise<T> =>
  call().catch(() => {
    throw new Refusal('runtime_unavailable', 'the runtime does not respond; try again in a moment');
  });
