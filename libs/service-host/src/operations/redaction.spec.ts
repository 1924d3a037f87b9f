import { describe, expect, it } from '@jest/globals';
import { redactor } from './redaction.js';

const redact = redactor({ address: 'ada@x.test', replacement: 'erased@erased.invalid' });

describe('A redaction', () => {
  it('finds the address in any case and anywhere in a text', () => {
    expect(redact({ answer: '550 <Ada@X.test>: unknown; ask ada@x.test.' })).toEqual({
      answer: '550 <erased@erased.invalid>: unknown; ask erased@erased.invalid.',
    });
  });

  it.each(['hada@x.test', 'ada@x.test.example', 'ada@x.tests', 'tag+ada@x.test', 'ada@x-test', 'éada@x.test'])(
    'takes %s for somebody else',
    other => expect(redact({ to: other })).toBeUndefined(),
  );

  it('empties what tells of the person in what is about nobody else', () => {
    const opened = { to: 'ada@x.test', subject: 'Your results', data: { ip: '192.0.2.1', user_agent: 'Mail' } };
    expect(redact(opened)).toEqual({ to: 'erased@erased.invalid', subject: '', data: { ip: '', user_agent: '' } });
    expect(redact({ recipients: [{ address: 'ada@x.test' }], subject: 'Your results' })).toMatchObject({ subject: '' });
  });

  it('leaves others what concerns them too', () => {
    const accepted = { subject: 'Minutes', recipients: [{ address: 'ada@x.test' }, { address: 'bob@x.test' }] };
    expect(redact(accepted)).toEqual({
      subject: 'Minutes',
      recipients: [{ address: 'erased@erased.invalid' }, { address: 'bob@x.test' }],
    });
  });

  it('takes letters that mean something in patterns as they are', () => {
    const odd = redactor({ address: 'a+b.c$@x.test', replacement: 'erased@erased.invalid' });
    expect(odd({ to: 'a+b.c$@x.test' })).toEqual({ to: 'erased@erased.invalid' });
    expect(odd({ to: 'aab_c$@x.test' })).toBeUndefined();
  });
});
