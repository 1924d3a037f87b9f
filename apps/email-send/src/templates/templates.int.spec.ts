import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createApiKey,
  createEmailService,
  createTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  listTemplateVersions,
  preAddRecipient,
  previewTemplate,
  scheduleEmail,
  sendEmail,
  sendEmailBody,
  sendTestOfTemplate,
  updateTemplate,
} from '@postern/contracts';
import { v7 as uuidv7 } from 'uuid';
import { AdministrationFixture } from '../testing/administration-fixture.js';

let fixture: AdministrationFixture;
beforeAll(async () => {
  fixture = await AdministrationFixture.start();
}, 60_000);
afterAll(() => fixture?.stop());

const call: AdministrationFixture['client']['request'] = (contract, request, options) =>
  fixture.client.request(contract, request, options);
const RECEIPT = {
  name: 'receipt',
  subject: 'Receipt {{order}}',
  html: '<p>Thank you, {{customer.name}}.</p>{{#items}}<b>{{name}}</b>{{/items}}',
};
const VARIABLES = { order: 4711, customer: { name: 'Ada <3' }, items: [{ name: 'Tea' }, { name: 'Cake' }] };

let owner: { workspace_id: string; service_id: string };
let keyHash: string;
let address: string;
let count = 0;
beforeEach(async () => {
  const workspace_id = uuidv7();
  const { id } = await call(createEmailService, { workspace_id, name: 'Shop' });
  owner = { workspace_id, service_id: id };
  const { key } = await call(createApiKey, { ...owner, name: 'app' });
  keyHash = createHash('sha256').update(key).digest('hex');
  address = `template${++count}@example.com`;
  await call(preAddRecipient, { ...owner, address });
});

const send = (template: object, changes: object = {}) =>
  call(sendEmail, {
    api_key_hash: keyHash,
    answer_within_ms: 30_000,
    email_id: uuidv7(),
    email: sendEmailBody.parse({ from: 'shop@example.com', to: [address], template, ...changes }),
  });
const received = () => {
  const { raw } = fixture.smtp.messages.findLast(({ to }) => to[0]!.address === address)!;
  return raw.toString().replaceAll('=\r\n', '').replaceAll('=3D', '=');
};
const refusal = (work: Promise<unknown>) => expect(work).rejects;

describe('A template', () => {
  it('is created with its first version, and found', async () => {
    const created = await call(createTemplate, { ...owner, ...RECEIPT });
    expect(created).toEqual({
      id: expect.any(String),
      ...RECEIPT,
      text: null,
      version: 1,
      variables: ['order', 'customer', 'items'],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await call(getTemplate, { ...owner, template_id: created.id })).toEqual(created);
    const { subject: _subject, html: _html, text: _text, ...listed } = created;
    expect(await call(listTemplates, owner)).toEqual([listed]);
  });

  it('gets a next version when its content changes, and keeps the others', async () => {
    const { id: template_id } = await call(createTemplate, { ...owner, ...RECEIPT });
    const one = { ...owner, template_id };
    expect(await call(updateTemplate, { ...one, name: 'bill' })).toMatchObject({ name: 'bill', version: 1 });
    expect(await call(updateTemplate, { ...one, text: 'Thanks' })).toMatchObject({ version: 2, text: 'Thanks' });
    expect(await call(updateTemplate, { ...one, text: 'Thanks' })).toMatchObject({ version: 2 });
    expect(await call(updateTemplate, { ...one, text: null, subject: 'Bill' })).toMatchObject({
      version: 3,
      text: null,
    });
    expect((await call(listTemplateVersions, one)).map(({ version, subject }) => [version, subject])).toEqual([
      [3, 'Bill'],
      [2, RECEIPT.subject],
      [1, RECEIPT.subject],
    ]);
    expect(await call(getTemplate, { ...one, version: 2 })).toMatchObject({ text: 'Thanks', version: 2 });
    await refusal(call(getTemplate, { ...one, version: 4 })).toMatchObject({ code: 'template_not_found' });
  });

  it('is refused for a name that is taken, wrong syntax, or too many', async () => {
    const { id: template_id } = await call(createTemplate, { ...owner, ...RECEIPT });
    await refusal(call(createTemplate, { ...owner, ...RECEIPT })).toMatchObject({ code: 'template_exists' });
    await call(createTemplate, { ...owner, ...RECEIPT, name: 'other' });
    await refusal(call(updateTemplate, { ...owner, template_id, name: 'other' })).toMatchObject({
      code: 'template_exists',
    });
    await refusal(call(createTemplate, { ...owner, ...RECEIPT, name: 'bad', html: '{{#a}}' })).toMatchObject({
      code: 'invalid_template',
      message: expect.stringMatching(/^html: the section/),
    });
    for (let more = 2; more < 200; more++) await call(createTemplate, { ...owner, ...RECEIPT, name: `t${more}` });
    await refusal(call(createTemplate, { ...owner, ...RECEIPT, name: 'last' })).toMatchObject({
      code: 'quota_reached',
    });
  });

  it('of another workspace is not found', async () => {
    const { id: template_id } = await call(createTemplate, { ...owner, ...RECEIPT });
    const workspace_id = uuidv7();
    const { id: service_id } = await call(createEmailService, { workspace_id, name: 'Other' });
    for (const contract of [getTemplate, deleteTemplate, listTemplateVersions]) {
      await refusal(call(contract, { workspace_id, service_id, template_id })).toMatchObject({
        code: 'template_not_found',
      });
      await refusal(call(contract, { ...owner, workspace_id, template_id })).toMatchObject({
        code: 'service_not_found',
      });
    }
  });

  it('can be deleted with its versions', async () => {
    const { id: template_id } = await call(createTemplate, { ...owner, ...RECEIPT });
    expect(await call(deleteTemplate, { ...owner, template_id })).toEqual({ id: template_id, deleted: true });
    await refusal(call(getTemplate, { ...owner, template_id })).toMatchObject({ code: 'template_not_found' });
    await refusal(send({ id: template_id })).toMatchObject({ message: expect.stringMatching(/^template\.id: /) });
  });

  it('is previewed with the derived text', async () => {
    const { id: template_id } = await call(createTemplate, { ...owner, ...RECEIPT });
    expect(await call(previewTemplate, { ...owner, template_id, variables: VARIABLES })).toEqual({
      version: 1,
      subject: 'Receipt 4711',
      html: '<p>Thank you, Ada &lt;3.</p><b>Tea</b><b>Cake</b>',
      text: expect.stringContaining('Thank you, Ada <3.'),
    });
    await refusal(call(previewTemplate, { ...owner, template_id, variables: {} })).toMatchObject({
      code: 'invalid_email',
      message: expect.stringMatching(/^variables\.order: /),
    });
  });
});

describe('A message with a template', () => {
  it('has its content, by name or id, in the latest or in a given version', async () => {
    const { id } = await call(createTemplate, { ...owner, ...RECEIPT });
    await send({ name: 'receipt', variables: VARIABLES });
    expect(received()).toMatch(/^Subject: Receipt 4711\r$/m);
    expect(received()).toContain('<p>Thank you, Ada &lt;3.</p><b>Tea</b><b>Cake</b>');
    expect(received()).toContain('Thank you, Ada <3.');
    await call(updateTemplate, { ...owner, template_id: id, subject: 'Bill {{order}}' });
    await send({ id, variables: VARIABLES });
    expect(received()).toMatch(/^Subject: Bill 4711\r$/m);
    await send({ id, version: 1, variables: VARIABLES });
    expect(received()).toMatch(/^Subject: Receipt 4711\r$/m);
  });

  it.each<[string, object, object, RegExp]>([
    ['neither id nor name', { variables: {} }, {}, /^template: give either id or name/],
    ['both', { id: uuidv7(), name: 'receipt' }, {}, /^template: give either id or name/],
    ['an unknown name', { name: 'nothing' }, {}, /^template\.name: /],
    ['an unknown id', { id: uuidv7() }, {}, /^template\.id: /],
    ['an unknown version', { name: 'receipt', version: 9 }, {}, /^template\.version: .*9/],
    [
      'a missing variable',
      { name: 'receipt', variables: { order: 1, items: [] } },
      {},
      /^template\.variables\.customer: /,
    ],
    ['an unknown variable', { name: 'receipt', variables: { ...VARIABLES, x: 1 } }, {}, /^template\.variables: .*"x"/],
    [
      'a line break in the subject',
      { name: 'receipt', variables: { ...VARIABLES, order: 'a\nBcc: x' } },
      {},
      /^subject: /,
    ],
    ['a subject', { name: 'receipt', variables: VARIABLES }, { subject: 'S' }, /^subject: not allowed together/],
    ['a body', { name: 'receipt', variables: VARIABLES }, { message: '<p>' }, /^message: not allowed together/],
    ['a text', { name: 'receipt', variables: VARIABLES }, { text: 'T' }, /^text: not allowed together/],
  ])('is refused with %s', async (_, template, changes, message) => {
    await call(createTemplate, { ...owner, ...RECEIPT });
    await refusal(send(template, changes)).toMatchObject({
      code: 'invalid_email',
      message: expect.stringMatching(message),
    });
  });

  it('does not find the template of another service', async () => {
    const { id: service_id } = await call(createEmailService, { workspace_id: owner.workspace_id, name: 'Other' });
    await call(createTemplate, { ...owner, service_id, ...RECEIPT });
    await refusal(send({ name: 'receipt', variables: VARIABLES })).toMatchObject({ code: 'invalid_email' });
  });

  it('that is scheduled is rendered when it is accepted', async () => {
    await call(createTemplate, { ...owner, ...RECEIPT });
    const schedule = (variables: object) =>
      call(scheduleEmail, {
        api_key_hash: keyHash,
        scheduled_email_id: uuidv7(),
        send_at: new Date(Date.now() + 3_600_000).toISOString(),
        email: sendEmailBody.parse({ from: 'a@example.com', to: [address], template: { name: 'receipt', variables } }),
      });
    expect(await schedule(VARIABLES)).toMatchObject({ state: 'scheduled' });
    await refusal(schedule({})).toMatchObject({
      code: 'invalid_email',
      message: expect.stringMatching(/^email\.template\.variables\.order: /),
    });
  });

  it('is sent as a test from the dashboard, by the rules of the service', async () => {
    const { id: template_id } = await call(createTemplate, { ...owner, ...RECEIPT });
    const test = { ...owner, template_id, from: 'shop@example.com', variables: VARIABLES };
    expect(await call(sendTestOfTemplate, { ...test, to: [address] })).toMatchObject({
      status: 'sent',
      mode: 'sandbox',
    });
    expect(received()).toContain('<b>Cake</b>');
    await refusal(call(sendTestOfTemplate, { ...test, to: ['eve@example.com'] })).toMatchObject({
      code: 'recipient_not_verified',
    });
    await refusal(call(sendTestOfTemplate, { ...test, to: [address], variables: {} })).toMatchObject({
      code: 'invalid_email',
    });
  });
});
