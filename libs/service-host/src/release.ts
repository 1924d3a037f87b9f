import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { INBOXES, type NatsUser, RELEASE_ANSWERS, releaseQueriesOf } from '@postern/contracts';
import type { NatsLink } from '@postern/messaging';

/** Which release a process runs. */
export interface Release {
  readonly version: string;
  /** What it exchanges with others; null for a build of a checkout, which is no release. */
  readonly contract: unknown;
}

/** The release of the service that the program is part of; undefined for other programs. */
export const releaseOf = (service: string, program: string | undefined): Release | undefined => {
  const folder = program === undefined ? undefined : packageFolder(service, program);
  if (folder === undefined) return undefined;
  const { version } = readJson(join(folder, 'package.json')) as { readonly version: string };
  const stored = join(folder, `../../libs/contracts/released/${service}@${version}.json`);
  return { version, contract: readJson(stored) ?? null };
};

/** The folder above a program with the manifest of the service. */
const packageFolder = (service: string, program: string): string | undefined => {
  let folder = dirname(realpathSync(program));
  for (let above = dirname(folder); above !== folder; folder = above, above = dirname(folder)) {
    const manifest = readJson(join(folder, 'package.json')) as { readonly name?: string } | undefined;
    if (manifest?.name === `@postern/${service}`) return folder;
  }
  return undefined;
};

/** Undefined if there is no such file. */
const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Answers every query, so that the replicas of a rollout name both releases. */
export const answerReleaseQueries = ({ nc }: NatsLink, service: NatsUser, release: Release): void => {
  const answer = JSON.stringify({ service, ...release });
  const inbox = new RegExp(`^${INBOXES.replace('.', '\\.')}[a-z-]+\\.${RELEASE_ANSWERS}\\.${service}\\.[^.]+$`);
  nc.subscribe(releaseQueriesOf(service), {
    // NATS whose users are older than this release refuses the subscription; everything else works without it.
    callback: (error, { reply = '' }) => {
      if (!error && inbox.test(reply)) nc.publish(reply, answer);
    },
  });
};
