import type { SteadyClients } from '../clients/steady-clients.js';
import type { RestoredDatabase } from '../observed-traffic.js';
import type { FaultyRelay } from '../relay/relay.js';
import type { SeededRandom } from '../run/random.js';
import type { Disks } from '../system/disks.js';
import type { SilentNameServer } from '../system/name-server.js';
import type { Postern } from '../system/postern.js';
import type { WebhookReceiver } from '../webhook-receiver.js';

/** The components that a fault acts on. */
export interface FaultContext {
  readonly postern: Postern;
  readonly relay: FaultyRelay;
  readonly receiver: WebhookReceiver;
  readonly clients: SteadyClients;
  readonly disk: Disks;
  /** The path of the email service in the dashboard API. */
  readonly servicePath: string;
  readonly nameServer: SilentNameServer | undefined;
  readonly restored: RestoredDatabase[];
}

/** A fault with all random choices made; the same seed plans the same fault. */
export interface PlannedFault {
  readonly name: string;
  readonly detail: string;
  /** How long the fault lasts; 0 for an instantaneous fault such as kill -9. */
  readonly holdMs: number;
  begin(context: FaultContext): Promise<void>;
  end?(context: FaultContext): Promise<void>;
  /** Called after the recovery. */
  verify?(context: FaultContext): Promise<void>;
}

/** A kind of fault. */
export interface Fault {
  readonly name: string;
  /** Whether it may occur while Postern recovers from another fault. */
  readonly canBeSecond: boolean;
  plan(random: SeededRandom): PlannedFault;
  /** The reason why the fault is not available in this environment. */
  unavailable?(context: FaultContext): string | undefined;
}

/** A violation that the fault itself detects, apart from the duration of the recovery. */
export class FaultViolation extends Error {}

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
