import { CLAIMS } from './block-claim.js';
import { turnOnForwarding } from './host-network.js';
import type { NetworkPrograms } from './network-programs.js';
import type { ServedPort } from './ruleset.js';
import { runProgram } from './run-program.js';

/** The network to which sandboxes are joined: that of the machine, or one that an ordinary user owns. */
export interface NetworkHost {
  readonly programs: NetworkPrograms;
  /** The folder of named namespaces, as this process sees it. */
  readonly namespaces: string;
  /** The folder of the blocks in use. */
  readonly claims: string;
  /** Runs a program as root of this network, with text as its standard input. @throws with its error messages. */
  run(program: string, args: readonly string[], input?: string): Promise<string>;
  /** The beginning of a command that runs in a namespace. */
  enter(namespace: string): readonly string[];
  /** @returns the uplinks from which nothing may be forwarded. */
  turnOnForwarding(): Promise<readonly string[]>;
  /** Whether packets from outside of the machine arrive in this network. */
  readonly isReachable: boolean;
  /** Where connections to a server of this machine have to be directed. */
  reached(server: ServedPort): ServedPort;
  /** Whether the network is gone, and with it those of all sandboxes. */
  hasEnded(): boolean;
  /** Ends the network, if it exists only for sandboxes. */
  end(): Promise<void>;
}

/** The network of the machine, for root. */
export const machineHost = (programs: NetworkPrograms): NetworkHost => ({
  programs,
  namespaces: '/run/netns',
  claims: CLAIMS,
  run: runProgram,
  enter: name => [programs.nsenter, `--net=/run/netns/${name}`, '--'],
  turnOnForwarding: () => turnOnForwarding(programs.ip, CLAIMS),
  isReachable: true,
  reached: server => server,
  hasEnded: () => false,
  end: async () => {},
});
