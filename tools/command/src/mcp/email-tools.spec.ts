import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Context } from '../configuration/context.js';
import { emailKeyTools, sessionTools } from './email-tools.js';
import { callTool } from './testing/call-tool.js';

const context = new Context({
  XDG_CONFIG_HOME: '/nonexistent',
  POSTERN_URL: 'https://postern.example.com',
  POSTERN_EMAIL_KEY: 'em_live_test',
  POSTERN_SESSION_TOKEN: 'st_live_test',
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the tool send_email', () => {
  it('names its own fields if the message has no body', async () => {
    const fetched = jest.spyOn(globalThis, 'fetch');
    const email = { from: 'shop@example.com', to: ['ada@example.net'], subject: 'Hello' };
    expect(await callTool(emailKeyTools(context), 'send_email', email)).toBe(
      'The message has no body. Give `text`, `html` or both.',
    );
    expect(fetched).not.toHaveBeenCalled();
  });
});

describe('a tool for one of several email services', () => {
  it('names the field that chooses it', async () => {
    const services = ['Shop', 'Blog'].map(name => ({ id: name, name }));
    jest.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json(services));
    expect(await callTool(sessionTools(context), 'list_emails', {})).toContain(
      'There are several email services. Choose one in the field `service` (id or name):\n',
    );
  });
});
