import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@postern/testing';
import { OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
import { type Sender, World } from './world.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CLIENT_SPAN = '00f067aa0ba902b7';
const MAIL = { from: 'orders@shop.test', to: ['ada@customers.test'], subject: 'Your receipt', text: 'Thanks.' };

let collector: OtlpReceiver;
let world: World;
let sender: Sender;

beforeAll(async () => {
  collector = await OtlpReceiver.start();
  // The sampling ratio is 0, so every span belongs to a request whose client requested a trace.
  const traced = { POSTERN_OTLP_ENDPOINT: collector.url, POSTERN_TRACE_RATIO: '0' };
  world = await World.start({
    environment: {
      'api-gateway': { ...traced, POSTERN_LOG_LEVEL: 'debug' },
      'email-send': traced,
      'delivery-tracking': traced,
      'webhook-dispatch': traced,
      'platform-management': traced,
    },
  });
  sender = await world.sender('Shop', 'shop.test');
}, 120_000);

afterAll(async () => {
  await world?.stop();
  await collector.stop();
});

/** The span and its ancestors, up to the client. */
const originsOf = (span: ReceivedSpan): string[] => {
  const cause = collector.spans.find(({ spanId }) => spanId === span.parentId);
  const root = span.parentId === CLIENT_SPAN ? 'the client' : `something unknown (${span.parentId})`;
  return [`${span.service}: ${span.name}`, ...(cause ? originsOf(cause) : [root])];
};

describe('a trace', () => {
  it('continues from a client’s request to every attempt of its webhook, across events, reports and the queue', async () => {
    sender.receiver.answerNext({ status: 503 });
    const headers = { traceparent: `00-${TRACE}-${CLIENT_SPAN}-01`, 'x-request-id': 'order-7' };
    expect(await sender.send(MAIL, headers)).toMatchObject({ status: 200 });

    const origins = [
      'webhook-dispatch: attempt delivery',
      'webhook-dispatch: process delivery-tracking.email-delivered.v1',
      'delivery-tracking: process email-send.email-accepted.v1',
      'email-send: admit message',
      'email-send: email-send/send-email',
      'api-gateway: email-send/send-email',
      'api-gateway: POST /emails',
      'the client',
    ];
    await eventually(
      () => {
        const attempts = collector.spans.filter(({ name }) => name === 'attempt delivery');
        expect(attempts.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([503, 200]);
        expect(attempts.map(originsOf)).toEqual([origins, origins]);
      },
      { timeoutMs: 30_000 },
    );
  }, 60_000);

  it('includes the handover to the relay, and the transactions that the message shared', () => {
    const ofEmailSend = collector.spans.filter(({ service }) => service === 'email-send').map(({ name }) => name);
    expect(ofEmailSend).toEqual(
      expect.arrayContaining(['hand over copy', 'admission transaction', 'conclude message', 'conclusion transaction']),
    );
  });

  it('has its id in the log lines', () => {
    const lines = readFileSync(world.postern.home.logFile('api-gateway'), 'utf8').split('\n');
    const answered = lines.filter(line => line.includes('"Request completed"')).map(line => JSON.parse(line) as object);
    expect(answered).toContainEqual(
      expect.objectContaining({ route: '/emails', correlationId: 'order-7', traceId: TRACE }),
    );
  });

  it('is found from the durations of its steps, in the metrics of each service', async () => {
    const headers = {
      authorization: `Bearer ${world.postern.metricsToken}`,
      accept: 'application/openmetrics-text;version=1.0.0',
    };
    const urls = world.postern.metricsUrls();
    const exemplarsOf = async (service: string) => {
      const text = await (await fetch(urls[service] ?? '', { headers })).text();
      const lines = text.split('\n').filter(line => line.includes(`trace_id="${TRACE}"`));
      return [
        ...new Set(lines.map(line => line.replace(/(?:,?service_name="[^"]*"|,?le="[^"]*")|\} .*$/g, ''))),
      ].sort();
    };
    expect(await exemplarsOf('api-gateway')).toEqual([
      'http_server_request_duration_bucket{http_request_method="POST",http_route="/emails",http_response_status_code="200"',
    ]);
    expect(await exemplarsOf('email-send')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^messaging_process_duration_bucket/),
        'postern_emails_hand_over_duration_bucket{result="accepted"',
        'rpc_server_duration_bucket{rpc_method="send-email",outcome="ok"',
      ]),
    );
    expect(await exemplarsOf('delivery-tracking')).toContainEqual(
      expect.stringMatching(/^messaging_process_duration_bucket/),
    );
    expect(await exemplarsOf('webhook-dispatch')).toEqual(
      expect.arrayContaining([
        'postern_webhooks_attempt_duration_bucket{outcome="accepted"',
        'postern_webhooks_attempt_duration_bucket{outcome="retry"',
      ]),
    );
  });

  it('is recorded only if it is sampled', async () => {
    const { body } = await sender.send(MAIL);
    await sender.event('delivered', body['id'] as string);
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
  });

  it('contains no address of a person, nothing of the message and no secret', () => {
    const exported = JSON.stringify(collector.spans);
    for (const secret of ['customers.test', MAIL.from, MAIL.subject, MAIL.text, sender.apiKey, sender.webhookSecret])
      expect(exported).not.toContain(secret);
  });
});
