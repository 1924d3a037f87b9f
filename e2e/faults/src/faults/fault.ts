import type { SteadyClients } from '../clients/steady-clients.js';
import type { FaultyRelay } from '../relay/relay.js';
import type { SeededRandom } from '../run/random.js';
import type { HomeDisk } from '../system/home-disk.js';
import type { Postern } from '../system/postern.js';
import type { WebhookReceiver } from '../webhook-receiver.js';

/** What a fault acts on. */
export interface FaultContext {
  readonly postern: Postern;
  readonly relay: FaultyRelay;
  readonly receiver: WebhookReceiver;
  readonly clients: SteadyClients;
  readonly disk: HomeDisk;
}

/** A fault with everything decided; the same for the same seed. */
export interface PlannedFault {
  readonly name: string;
  readonly detail: string;
  /** How long it lasts; 0 for a blow such as kill -9. */
  readonly holdMs: number;
  begin(context: FaultContext): Promise<void>;
  end?(context: FaultContext): Promise<void>;
}

/** A kind of fault. */
export interface Fault {
  readonly name: string;
  /** Whether it may strike while Postern recovers from another one. */
  readonly canBeSecond: boolean;
  plan(random: SeededRandom): PlannedFault;
  /** Why it cannot be tried here. */
  unavailable?(context: FaultContext): string | undefined;
}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
