import { jetstreamManager } from '@nats-io/jetstream';
import { type Operator, requestFromAll, servicesNamed } from '../operator.js';
import { table } from '../table.js';

/** `outbox status [service]`: the publishing state of each service, and what the broker stores. */
export const outboxStatus = async (operator: Operator, [service]: readonly string[]): Promise<boolean> => {
  const results = await requestFromAll(operator, servicesNamed(service), 'getOutboxStatus', {});
  const jsm = await jetstreamManager(operator.link.nc);
  const rows = await Promise.all(
    results.map(async result => {
      if ('failure' in result) return [result.service, result.failure, '', '', ''];
      const { outbox } = result.reply;
      if (!outbox) return [result.service, 'publishes no events', '', '', ''];
      const stream = await jsm.streams.info(`postern-${result.service}`).catch(() => undefined);
      return [
        result.service,
        outbox.blocked?.reason ?? outbox.last_error ?? (outbox.led ? 'publishing' : 'no leader'),
        outbox.lag,
        outbox.broker_sequence ?? '-',
        stream ? `${stream.state.messages} events, ${(stream.state.bytes / 1e6).toFixed(1)} MB` : 'no stream yet',
      ];
    }),
  );
  operator.print(table(['SERVICE', 'STATUS', 'LAG', 'SEQUENCE', 'JETSTREAM'], rows));
  return results.every(
    result => 'reply' in result && (!result.reply.outbox || (result.reply.outbox.led && !result.reply.outbox.blocked)),
  );
};
