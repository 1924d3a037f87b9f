import { UsageError } from '../errors.js';
import { table } from '../output/table.js';
import { type Operator, requestFromAll, requestOperation, serviceNamed, servicesNamed } from './operator.js';

const MOST = 100;

/** Events are read within a second or so. */
const LATE_S = 60;

/** `events list [service]`: events that a consumer could not handle and set aside. */
export const listSetAsideEvents = async (operator: Operator, [service]: readonly string[]): Promise<boolean> => {
  const results = await requestFromAll(operator, servicesNamed(service), 'listSetAsideEvents', { limit: MOST });
  const rows = results.flatMap(result =>
    'failure' in result
      ? [[result.service, result.failure, '', '', '', '']]
      : result.reply.events.map(({ event_id, type, failures, set_aside_at, last_error }) => [
          result.service,
          event_id,
          type,
          failures,
          set_aside_at,
          last_error.split('\n')[0] ?? '',
        ]),
  );
  operator.print(
    rows.length === 0
      ? 'No event is set aside.'
      : table(['SERVICE', 'EVENT', 'TYPE', 'FAILURES', 'SINCE', 'LAST ERROR'], rows),
  );
  return results.every(result => 'reply' in result && result.reply.total === 0);
};

/** `events retry <service> <event id>`: handles the event again immediately. */
export const retrySetAsideEvent = async (operator: Operator, [named, eventId]: readonly string[]): Promise<boolean> => {
  const service = serviceNamed(named);
  await requestOperation(operator, service, 'retrySetAsideEvent', { event_id: idGiven(eventId) });
  operator.print(`${service} handles the event again within a few seconds. \`postern events list\` shows the result.`);
  return true;
};

/** `events discard <service> <event id>`: deletes the event unhandled. */
export const discardSetAsideEvent = async (
  operator: Operator,
  [named, eventId]: readonly string[],
): Promise<boolean> => {
  const service = serviceNamed(named);
  const { consumers } = await requestOperation(operator, service, 'discardSetAsideEvent', {
    event_id: idGiven(eventId),
  });
  operator.print(`Discarded for ${consumers.join(', ')}.`);
  return true;
};

const idGiven = (eventId: string | undefined): string => {
  if (eventId === undefined) throw new UsageError('the id of the event is missing; `postern events list` shows it');
  return eventId;
};

/** `events status [service]`: how far each consumer has read the events of each service. */
export const eventsStatus = async (operator: Operator, [service]: readonly string[]): Promise<boolean> => {
  const results = await requestFromAll(operator, servicesNamed(service), 'listReaders', {});
  const rows = results.flatMap(result =>
    'failure' in result
      ? [[result.service, result.failure, '', '', '']]
      : result.reply.readers.map(({ consumer, lag, delay_seconds, asked_seconds_ago }) => [
          result.service,
          consumer,
          lag,
          `${Math.round(delay_seconds)} s`,
          asked_seconds_ago === null ? 'never' : `${Math.round(asked_seconds_ago)} s ago`,
        ]),
  );
  operator.print(table(['SERVICE', 'CONSUMER', 'NOT READ', 'AGE', 'ASKED'], rows));
  return results.every(
    result => 'reply' in result && result.reply.readers.every(({ delay_seconds }) => delay_seconds <= LATE_S),
  );
};
