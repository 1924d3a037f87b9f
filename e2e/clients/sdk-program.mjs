/** Sends, reads and verifies with the packed SDK; runs on Node.js, Bun and Deno. */
import { createHmac } from 'node:crypto';
import { Postern, verifyWebhook } from '@postern/sdk';

const { BASE_URL: baseUrl, EMAIL_KEY: emailKey, PLATFORM_KEY: platformKey } = process.env;

const { emails } = new Postern(emailKey, { baseUrl });
const email = { from: 'shop@example.com', to: 'delivered@simulator.test', subject: 'From the SDK', text: 'Hello' };
const sent = await emails.send(email);
const got = await emails.get(sent.id);
if (got.id !== sent.id || got.status !== 'sent') throw new Error(JSON.stringify(got));

const refusal = await emails.send({ ...email, to: 'nobody' }).catch(error => error);
if (refusal.status !== 400) throw new Error(String(refusal));

const { projects } = new Postern(platformKey, { baseUrl }).platform;
const project = await projects.create({ name: 'From the SDK' });
if (!(await projects.list()).some(({ id }) => id === project.id)) throw new Error('The project is missing.');

const secret = 'whsec_x';
const timestamp = String(Math.floor(Date.now() / 1_000));
const event = JSON.stringify({ event: 'delivered', email_id: sent.id });
const signature = createHmac('sha256', secret).update(`${timestamp}.${event}`).digest('hex');
const headers = { 'x-service-timestamp': timestamp, 'x-service-signature': signature };
const verified = await verifyWebhook({ body: event, headers, secret });
if (verified.email_id !== sent.id) throw new Error(JSON.stringify(verified));
const forged = await verifyWebhook({ body: `${event} `, headers, secret }).catch(error => error);
if (!(forged instanceof Error)) throw new Error('A forged event was accepted.');
