import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { foldsEveryFixture, specificationOf } from '@postern/event-sourcing/testing';
import {
  type NamedValueEvent,
  type NewValue,
  projectSecrets,
  type Scope,
  slotOf,
  valueStream,
  variables,
} from './named-values.js';

const at = '2026-01-01T00:00:00.000Z';
const value = (id: string, key: string, isSecret?: boolean, scope?: Scope): NewValue => ({ id, key, isSecret, scope });
const set = (...values: NewValue[]) => ({ kind: 'set', ownerId: 'owner', values, at }) as const;
const remove = (valueId: string) => ({ kind: 'delete', ownerId: 'owner', valueId, at }) as const;

const variableSet = (value_id: string, key: string, is_secret: boolean): NamedValueEvent => ({
  type: 'platform-management.variable-set.v1',
  data: { owner_id: 'owner', value_id, key, scope: null, is_secret, at },
});
const secretSet = (value_id: string, key: string, scope: Scope, is_secret = true): NamedValueEvent => ({
  type: 'platform-management.project-secret-set.v1',
  data: { owner_id: 'owner', value_id, key, scope, is_secret, at },
});

describe('the variables of a web service', () => {
  const given = specificationOf(variables);

  it('are not secret by default', () => {
    given()
      .when(set(value('1', 'COLOUR'), value('2', 'TOKEN', true)))
      .yields(variableSet('1', 'COLOUR', false), variableSet('2', 'TOKEN', true));
  });

  it('keep their id when they are set again, and their secrecy unless it is specified', () => {
    given(variableSet('1', 'TOKEN', true))
      .when(set(value('9', 'TOKEN')))
      .yields(variableSet('1', 'TOKEN', true));
    given(variableSet('1', 'TOKEN', true))
      .when(set(value('9', 'TOKEN', false)))
      .yields(variableSet('1', 'TOKEN', false));
  });

  it('cannot have the same key twice in one change', () => {
    given()
      .when(set(value('1', 'A'), value('2', 'A')))
      .refuses('invalid_input');
  });

  it('are deleted by id, once', () => {
    const deleted: NamedValueEvent = {
      type: 'platform-management.variable-deleted.v1',
      data: { owner_id: 'owner', value_id: '1', at },
    };
    given(variableSet('1', 'A', false))
      .when(remove('1'))
      .yields(deleted);
    given(variableSet('1', 'A', false), deleted)
      .when(remove('1'))
      .refuses('variable_not_found');
    given(variableSet('1', 'A', false), deleted)
      .when(set(value('2', 'A')))
      .yields(variableSet('2', 'A', false));
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/variables'), variables);
});

describe('the secrets of a project', () => {
  const given = specificationOf(projectSecrets);

  it('are secret by default', () => {
    given()
      .when(set(value('1', 'TOKEN', undefined, 'production'), value('2', 'REGION', false, 'production')))
      .yields(secretSet('1', 'TOKEN', 'production'), secretSet('2', 'REGION', 'production', false));
  });

  it('may have the same key once per scope', () => {
    given(secretSet('1', 'TOKEN', 'production'))
      .when(set(value('2', 'TOKEN', undefined, 'staging')))
      .yields(secretSet('2', 'TOKEN', 'staging'));
    given()
      .when(set(value('1', 'TOKEN', undefined, 'staging'), value('2', 'TOKEN', undefined, 'staging')))
      .refuses('invalid_input');
  });

  it('that do not exist cannot be deleted', () => {
    given().when(remove('1')).refuses('project_secret_not_found');
  });

  foldsEveryFixture(join(import.meta.dirname, 'fixtures/project-secrets'), projectSecrets);
});

it('variables and secrets of the same owner are separate streams', () => {
  expect(valueStream('variables', 'x')).not.toBe(valueStream('project_secrets', 'x'));
  expect(slotOf({ key: 'A', scope: 'staging' })).not.toBe(slotOf({ key: 'A' }));
});
