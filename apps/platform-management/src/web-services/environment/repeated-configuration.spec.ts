import { describe, expect, it } from '@jest/globals';
import { repeatedConfiguration } from './repeated-configuration.js';

const urlOf = (password: string, port = 5432) => `postgresql://app:${password}@127.0.0.1:${port}/app`;
const orders = { variable: 'DATABASE_URL', url: urlOf('new'), password: 'new' };
const attached = { DATABASE_URL: 'attachment' } as const;

describe('the configuration of a rollback', () => {
  it('has the variables and secrets of the earlier release, and the current credentials of attached databases', () => {
    const earlier = {
      environment: { COLOUR: 'red', TOKEN: 'of the project', DATABASE_URL: urlOf('old') },
      secrets: ['of the project', urlOf('old'), 'old'],
      sources: { ...attached, TOKEN: 'project-secret' },
    } as const;
    const repeated = repeatedConfiguration(earlier, [orders]);
    expect(repeated.environment).toEqual({ COLOUR: 'red', TOKEN: 'of the project', DATABASE_URL: urlOf('new') });
    expect(repeated.secrets).toEqual(['of the project', urlOf('old'), 'old', urlOf('new'), 'new']);
    expect(repeated.sources).toEqual(earlier.sources);
    expect(repeatedConfiguration(repeated, [orders])).toEqual(repeated);
  });

  it('has no database that was detached, and each that was attached since', () => {
    const earlier = { environment: { DATABASE_URL: urlOf('old') }, secrets: [], sources: attached };
    const stock = { ...orders, variable: 'STOCK_URL' };
    expect(repeatedConfiguration(earlier, [stock])).toMatchObject({
      environment: { STOCK_URL: urlOf('new') },
      sources: { STOCK_URL: 'attachment' },
    });
    expect(repeatedConfiguration(earlier, []).environment).toEqual({});
  });

  it('has a variable of the web service instead of an attachment, and an attachment instead of a project secret', () => {
    const environment = { DATABASE_URL: 'elsewhere' };
    expect(repeatedConfiguration({ environment, secrets: [], sources: {} }, [orders])).toMatchObject({
      environment,
      sources: {},
    });
    const ofProject = { environment, secrets: [], sources: { DATABASE_URL: 'project-secret' } } as const;
    expect(repeatedConfiguration(ofProject, [orders])).toMatchObject({
      environment: { DATABASE_URL: urlOf('new') },
      sources: attached,
    });
  });

  it('has the names of JavaScript properties as keys', () => {
    const environment = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
    const repeated = repeatedConfiguration({ environment, secrets: [], sources: {} }, []);
    expect(Object.entries(repeated.environment)).toEqual(Object.entries(environment));
  });
});
