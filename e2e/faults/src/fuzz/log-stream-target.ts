import type { Attacker } from './fuzz-world.js';
import { httpProblemOf, request, statusOf } from './http-messages.js';
import { mutate } from './mutate.js';
import { exchange } from './socket.js';
import { type FuzzTarget, shortened } from './target.js';

const SILENT_MS = 300;
const LINE_ID = '1769860800000-96';
/** A field or comment of an event, an empty line, or the length of a chunk. */
const EVENT_LINE = /^(?:(?:id|data|event|retry): ?.*|:.*|[0-9a-f]+|)$/;

/** Mutated requests for log streams; clients disconnect at once. Every line received must be well-formed SSE. */
export const logStreamTarget = (port: number, attacker: Attacker): FuzzTarget => {
  const path = `web-services/${attacker.webServiceId}/logs/stream`;
  const readers = [
    { path: `/dashboard/api/${path}`, headers: { Authorization: `Bearer ${attacker.sessionToken}` } },
    { path: `/api/v1/${path}`, headers: { Authorization: `Bearer ${attacker.platformKey}` } },
  ];
  return {
    name: 'log streams',
    attack: async random => {
      const reader = random.pick(readers);
      const headers = { ...reader.headers, 'Last-Event-ID': random.chance(0.8) ? mutate(LINE_ID, random) : LINE_ID };
      const query = `tail=${random.chance(0.5) ? encodeURIComponent(mutate('100', random)) : '100'}`;
      const whole = request('GET', `${reader.path}?${query}`, headers);
      const sent = random.chance(0.3) ? mutate(whole, random) : whole;
      const answer = await exchange(port, [sent], SILENT_MS);
      if (statusOf(answer) !== 200 || !/^content-type: text\/event-stream/im.test(answer))
        return httpProblemOf(sent, answer);
      const lines = answer.slice(answer.indexOf('\r\n\r\n') + 4).split(/\r?\n/);
      const odd = lines.find(line => !EVENT_LINE.test(line));
      return odd === undefined ? undefined : `the line ${shortened(odd)} for ${shortened(sent)}`;
    },
  };
};
