import { randomUUID } from 'node:crypto';
import { type Answer, callApi } from './client.js';
import type { Credential } from './credentials.js';
import { type ExpectedAnswer, expectedAnswer, type OwnedPlace, type OwnerOfPlace, reaches } from './expected-answer.js';
import type { Operation } from './operations.js';
import { placesOf, type Resources } from './resources.js';
import { bodyOf, queryOf } from './samples.js';
import type { TestUser } from './test-user.js';

/** One request of the matrix: operation, credential, and the owner of the resource in each place. */
export interface Cell {
  readonly operation: Operation;
  readonly credential: Credential;
  readonly owners: readonly OwnerOfPlace[];
}

const STATUS: Readonly<Record<Exclude<ExpectedAnswer, 'admitted'>, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  'not found': 404,
};
const UNKNOWN_ID = randomUUID();
const UNKNOWN_ADDRESS = 'nobody@unknown.test';

/** `withoutIds` is the body without the ids of the request. */
interface Reply extends Answer {
  readonly withoutIds: string;
}

/** Sends the requests of the matrix. */
export class Matrix {
  constructor(
    private readonly baseUrl: string,
    private readonly operations: readonly Operation[],
    private readonly resources: ReadonlyMap<TestUser, Resources>,
  ) {}

  /**
   * Every credential with the resources of each user and with unknown ids. A credential that is refused whatever the
   * resource is sends two requests: with resources that exist, and with unknown ones.
   */
  cellsOf(operation: Operation, credentials: readonly Credential[]): readonly Cell[] {
    const places = placesOf(operation, this.operations);
    const combinations = combinationsOf(places.length, [...this.resources.keys(), undefined]);
    return credentials.flatMap(credential => {
      const cells = combinations.map(owners => ({ operation, credential, owners }));
      const refusedAtOnce = cells.filter(cell => {
        const expected = expectedAnswer(operation, credential, this.placesOf(cell));
        return expected === 'unauthenticated' || expected === 'forbidden';
      });
      return [
        ...cells.filter(cell => !refusedAtOnce.includes(cell)),
        ...new Set([refusedAtOnce[0], refusedAtOnce.at(-1)]),
      ].filter(cell => cell !== undefined);
    });
  }

  /** @returns what is wrong with the response to a cell; undefined for an admitted write, which is not sent. */
  async problemOf(cell: Cell): Promise<string | undefined> {
    const { operation, credential, owners } = cell;
    const expected = expectedAnswer(operation, credential, this.placesOf(cell));
    if (expected === 'admitted') return isRead(operation) ? this.problemOfAdmitted(cell) : undefined;
    const answer = await this.send(cell);
    if (answer.status !== STATUS[expected]) return describe(cell, expected, answer);
    if (expected !== 'not found' || owners.includes(undefined)) return undefined;
    const unknown = await this.send(this.unknownInPlaceOfUnreached(cell));
    return unknown.withoutIds === answer.withoutIds ? undefined : describe(cell, `the words ${unknown.body}`, answer);
  }

  /** @returns what is wrong with the response to a cell that must reach its resource. */
  async problemOfAdmitted(cell: Cell): Promise<string | undefined> {
    const { operation, credential } = cell;
    const answer = await this.send(cell);
    if (operation.access === 'anyone') {
      const anonymous = await this.send({ ...cell, credential: { ...credential, headers: {} } });
      return answer.status === anonymous.status && answer.status < 500 ? undefined : describe(cell, 'the same', answer);
    }
    if ([401, 403].includes(answer.status) || answer.status >= 500) return describe(cell, 'admitted', answer);
    if (answer.status !== 404) return undefined;
    const unknown = await this.send({ ...cell, owners: cell.owners.map(() => undefined) });
    return unknown.withoutIds === answer.withoutIds ? describe(cell, 'admitted', answer) : undefined;
  }

  /** The response to a user who reads an operation with their session and their own resource in every place. */
  read(operation: Operation, user: TestUser): Promise<Answer> {
    const owners = placesOf(operation, this.operations).map(() => user);
    const headers = { authorization: `Bearer ${user.token}` };
    return this.send({ operation, owners, credential: { name: '', kind: 'session', user, headers } });
  }

  private placesOf({ operation, owners }: Cell): readonly OwnedPlace[] {
    return placesOf(operation, this.operations).map((place, index) => ({ place, owner: owners[index] }));
  }

  private unknownInPlaceOfUnreached(cell: Cell): Cell {
    const { operation, credential } = cell;
    const places = this.placesOf(cell);
    const isReached = (one: OwnedPlace) => reaches(operation, credential, one, places);
    return { ...cell, owners: places.map(one => (isReached(one) ? one.owner : undefined)) };
  }

  private async send({ operation, credential, owners }: Cell): Promise<Reply> {
    const ids: string[] = [];
    let path = operation.path;
    const fields: Record<string, unknown> = { ...(credential.user ?? this.resources.keys().next().value)?.known() };
    for (const [index, place] of placesOf(operation, this.operations).entries()) {
      const owner = owners[index];
      const id = owner ? await this.resources.get(owner)?.idOf(place) : unknownOf(place.name);
      ids.push(String(id));
      if (place.in === 'path') path = path.replace(`{${place.name}}`, encodeURIComponent(String(id)));
      else fields[place.name] = id;
    }
    const answer = await callApi(this.baseUrl, {
      method: operation.method,
      path: path.replace(/\{\w+\}/g, 'unknown') + queryOf(operation, fields),
      headers: { ...credential.headers },
      body: bodyOf(operation, fields),
    });
    return { ...answer, withoutIds: ids.reduce((text, id) => text.replaceAll(id, '<id>'), answer.body) };
  }
}

/**
 * All combinations of two places; of more, one owner in all places, and each other owner in one place. Those with the most
 * unknown ids come last.
 */
const combinationsOf = (places: number, owners: readonly OwnerOfPlace[]): readonly (readonly OwnerOfPlace[])[] => {
  const all = owners.map(owner => Array<OwnerOfPlace>(places).fill(owner));
  const mixed = all.flatMap(same => owners.flatMap(other => same.map((_, index) => same.with(index, other))));
  const unique = new Map([...all, ...mixed].map(each => [JSON.stringify(each.map(owner => owner?.name)), each]));
  const unknown = (each: readonly OwnerOfPlace[]) => each.filter(owner => owner === undefined).length;
  return [...unique.values()].sort((a, b) => unknown(a) - unknown(b));
};

export const isRead = ({ method }: Operation): boolean => method === 'GET';

const unknownOf = (name: string): string => (name === 'address' ? UNKNOWN_ADDRESS : UNKNOWN_ID);

const describe = ({ operation, credential, owners }: Cell, expected: string, { status, body }: Answer): string => {
  const whose = owners.map(owner => owner?.name ?? 'nobody').join(', ');
  return `${operation.method} ${operation.path} (${whose}) with ${credential.name}: expected ${expected}, got ${status} ${body.slice(0, 200)}`;
};
