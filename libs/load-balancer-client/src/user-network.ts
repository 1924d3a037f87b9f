import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process; its start time tells it from a later one with the same id. */
export interface ProcessMark {
  readonly pid: number;
  readonly startTime: string;
}

/** The network in which sandboxes are, if an ordinary user runs Postern, by the processes that keep it. */
export interface UserNetwork {
  /** Is in the network and in its user namespace. */
  readonly inside: ProcessMark;
  /** Is in the network of the machine, and passes connections of sandboxes on to it. */
  readonly outside: ProcessMark;
  /** Connects the network to the internet. */
  readonly uplink: ProcessMark;
}

export const userNetworkFile = (platformHome: string): string => join(platformHome, 'user-network.json');

/** What was recorded last, whether its processes run or not. */
export const recordedUserNetwork = (platformHome: string): UserNetwork | undefined => {
  try {
    return JSON.parse(readFileSync(userNetworkFile(platformHome), 'utf8')) as UserNetwork;
  } catch {
    return undefined;
  }
};

/** The network of this home; undefined if sandboxes are in networks of the machine, or share it. */
export const userNetworkOf = (platformHome: string): UserNetwork | undefined => {
  const found = recordedUserNetwork(platformHome);
  return found && isRunning(found.inside) && isRunning(found.outside) ? found : undefined;
};

export const isRunning = ({ pid, startTime }: ProcessMark): boolean => startTimeOf(pid) === startTime;

/** @throws if the process has ended. */
export const markOf = (pid: number): ProcessMark => {
  const startTime = startTimeOf(pid);
  if (startTime === undefined) throw new Error(`process ${pid} has ended`);
  return { pid, startTime };
};

/** Arguments of nsenter that enter the network as its root: the user who made it is root there, and needs no other credentials. */
export const entranceOf = ({ inside }: UserNetwork): readonly string[] => [
  '--preserve-credentials',
  `--user=/proc/${inside.pid}/ns/user`,
];

const startTimeOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
};
