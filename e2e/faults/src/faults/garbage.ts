import { connect, type NatsConnection } from '@nats-io/transport-node';
import * as contracts from '@postern/contracts';
import type { Fault } from './fault.js';

const LISTENS_MS = 1_000;

const MALFORMED: readonly (string | Uint8Array)[] = [
  '',
  '{}',
  '[]',
  'null',
  '0',
  '{"id":1}',
  '[{"id":null}]',
  '{"frames":[{}]}',
  '{"id":"',
  'not JSON',
  '[{"id":"x","request":{}},null,7]',
  `{"id":"${'x'.repeat(100_000)}"}`,
  Uint8Array.of(0, 255, 254, 128, 10),
];

/** Subjects that contracts declare. */
const contractSubjects = (): string[] =>
  Object.values(contracts).flatMap(contract =>
    typeof contract === 'object' && 'subject' in contract && typeof contract.subject === 'string'
      ? [contract.subject]
      : [],
  );

/** Subjects in use, including reply subjects of running requests, without the system subjects of NATS. */
const subjectsInUse = async (nats: NatsConnection): Promise<string[]> => {
  const seen = new Set<string>();
  const subscription = nats.subscribe('>', {
    callback: (_, { subject }) => {
      if (!subject.startsWith('$')) seen.add(subject);
    },
  });
  await new Promise(resolve => setTimeout(resolve, LISTENS_MS));
  subscription.unsubscribe();
  return [...seen];
};

/** Every kind of malformed message on every subject. */
export const garbage: Fault = {
  name: 'garbage on NATS',
  canBeSecond: false,
  plan: () => ({
    name: 'garbage on NATS',
    detail: `${MALFORMED.length} malformed messages on every subject`,
    holdMs: 0,
    begin: async ({ postern }) => {
      const { natsUrl = '', natsCaFile = '', natsUser = '', natsPassword = '' } = postern.started ?? {};
      const nats = await connect({
        servers: natsUrl,
        tls: { caFile: natsCaFile },
        user: natsUser,
        pass: natsPassword,
        timeout: 5_000,
        maxReconnectAttempts: 5,
      });
      try {
        const subjects = new Set([...contractSubjects(), ...(await subjectsInUse(nats))]);
        for (const subject of subjects)
          for (const message of MALFORMED) {
            nats.publish(subject, message);
            nats.publish(subject, message, { reply: '_INBOX.nobody' });
          }
        await nats.flush();
      } finally {
        await nats.close();
      }
    },
  }),
};
