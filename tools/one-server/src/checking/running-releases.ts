import { readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Configuration } from '../configuration/schema.js';
import { systemctl } from '../machine/run.js';
import type { Finding } from '../preflight/finding.js';
import { servicesOf, unitOf } from '../rendering/model.js';
import { PLACES } from '../rendering/places.js';

const CHECK = 'release';

/** The release whose folder a process was started in. */
const releaseOf = (pid: string): string | undefined => {
  try {
    const folder = readlinkSync(`/proc/${pid}/cwd`);
    return dirname(folder) === PLACES.releases ? basename(folder) : undefined;
  } catch {
    return undefined;
  }
};

/** Whether every process runs the release that is chosen. */
export const releaseFinding = async (configuration: Configuration): Promise<Finding> => {
  const chosen = basename(readlinkSync(PLACES.release));
  const running = await Promise.all(
    servicesOf(configuration).map(async service => {
      const pid = (await systemctl('show', '--property=MainPID', '--value', unitOf(service))).trim();
      return { service, release: releaseOf(pid) };
    }),
  );
  const others = running.filter(({ release }) => release !== undefined && release !== chosen);
  if (others.length === 0) return { check: CHECK, verdict: 'good', found: chosen };
  return {
    check: CHECK,
    verdict: 'warning',
    found: `${chosen} is chosen, and ${others.map(({ service, release }) => `${service} runs ${release}`).join(', ')}`,
    advice: 'Replace the processes: postern restart',
  };
};
