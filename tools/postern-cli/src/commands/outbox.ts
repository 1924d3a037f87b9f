import { jetstreamManager } from '@nats-io/jetstream';
import { askAll, type Operator, servicesNamed } from '../operator.js';
import { table } from '../table.js';

/** `outbox status [service]`: how far the log was published, and what the broker has of it. */
export const outboxStatus = async (operator: Operator, [service]: readonly string[]): Promise<boolean> => {
  const answers = await askAll(operator, servicesNamed(service), 'getOutboxStatus', {});
  const jsm = await jetstreamManager(operator.link.nc);
  const rows = await Promise.all(
    answers.map(async answer => {
      if ('failure' in answer) return [answer.service, answer.failure, '', '', ''];
      const { outbox } = answer.reply;
      if (!outbox) return [answer.service, 'publishes nothing', '', '', ''];
      const stream = await jsm.streams.info(`postern-${answer.service}`).catch(() => undefined);
      return [
        answer.service,
        outbox.blocked?.reason ?? outbox.last_error ?? (outbox.led ? 'relays' : 'nobody relays'),
        outbox.lag,
        outbox.broker_sequence ?? '-',
        stream ? `${stream.state.messages} events, ${(stream.state.bytes / 1e6).toFixed(1)} MB` : 'no stream yet',
      ];
    }),
  );
  operator.print(table(['SERVICE', 'STATE', 'EVENTS BEHIND', 'SEQUENCE', 'JETSTREAM HOLDS'], rows));
  return answers.every(
    answer => 'reply' in answer && (!answer.reply.outbox || (answer.reply.outbox.led && !answer.reply.outbox.blocked)),
  );
};
