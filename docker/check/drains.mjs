import { demand, print } from './report.mjs';

const TO = 'delivered@simulator.test';
const ANSWERS_AFTER_S = 4;
const KILLED_AFTER_S = 30;

/**
 * Postfix delays its reply to a message. Meanwhile the container that waits for the reply is stopped with SIGTERM, as by
 * `docker stop` or Kubernetes.
 */
export const drains = async ({ engine, client, containerOf, ready, services }) => {
  const postfix = containerOf('postfix');
  const slowly = `smtpd_end_of_data_restrictions=sleep ${ANSWERS_AFTER_S}`;
  for (const command of [
    ['postconf', '-e', slowly],
    ['postfix', 'reload'],
  ])
    await engine.in(postfix, ...command);
  // Open connections keep the previous settings of Postfix.
  await engine.docker('restart', containerOf('email-send'));
  await ready('email-send');

  for (const service of ['email-send', 'api-gateway']) {
    const subject = `Under way while ${service} is stopped`;
    const answer = client.send(TO, subject);
    const outcome = answer.then(
      ({ status }) => status,
      error => error.message,
    );
    let answered = false;
    void outcome.then(() => {
      answered = true;
    });
    while (!(await isReceiving(engine, postfix))) if (answered) throw new Error(`nobody waited: ${await outcome}`);
    const { code, seconds } = await stop(engine, containerOf(service));
    demand(`${service} ends with 0 on SIGTERM, ${seconds.toFixed(1)} s later`, code === 0, `with ${code}`);
    demand(`a message that was under way in ${service} is answered: sent`, (await outcome) === 'sent', await outcome);
    await engine.docker('start', containerOf(service));
    await ready(service);
    await client.becomes((await answer).id, 'delivered');
    const copies = (await client.subjectsFor(TO)).filter(each => each === subject).length;
    demand('and delivered, once', copies === 1, `${copies} times`);
  }
  print('stopping all of them');
  for (const service of services) {
    const { code, seconds } = await stop(engine, containerOf(service));
    demand(`${service} ends with 0 on SIGTERM, ${seconds.toFixed(1)} s later`, code === 0, `with ${code}`);
  }
};

/** Whether Postfix has received the content of a message and has not replied yet. */
const isReceiving = async (engine, postfix) =>
  (await engine.in(postfix, 'find', '/var/spool/postfix/incoming', '-type', 'f')).output !== '';

const stop = async (engine, container) => {
  const begun = performance.now();
  await engine.docker('stop', '--time', String(KILLED_AFTER_S), container);
  const { State } = await engine.inspect(container);
  return { code: State.ExitCode, seconds: (performance.now() - begun) / 1_000 };
};
