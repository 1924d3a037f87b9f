import type { IncomingMessage } from 'node:http';
import { NotFoundException } from '@nestjs/common';
import { Refusal, type WorkspaceRole } from '@postern/contracts';
import { clientNetworkOf, KeyedSlots } from '@postern/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceClient } from '../../service-client/ports.js';
import { apiKeyHashOf, assertValidApiKey } from '../access/api-key.js';
import { credentialHashOf } from '../access/credential-hash.js';
import { DeployHookAdmission } from '../access/deploy-hook-admission.js';
import {
  admitManagementKey,
  assertManagementScope,
  managementKeyOf,
  presentsManagementKey,
} from '../access/management-key.js';
import { admitCall } from '../access/platform-admission.js';
import { platformKeyHashOf } from '../access/platform-key.js';
import { assertOwnsService } from '../access/service-owner.js';
import { sessionOf } from '../access/session.js';
import { assertOperator, assertSecondFactor, SessionAuthentication } from '../access/session-authentication.js';
import { SessionCookies } from '../access/session-cookie.js';
import { assertRole, enterWorkspace } from '../access/workspace-role.js';
import { ERROR_CODE } from '../errors/error-code.js';
import { Problem, unauthorized } from '../errors/problem.js';
import { statusOf } from '../errors/refusal-status.js';
import { clientAddressOf } from '../server/client-address.js';
import { AcceptedCredentials } from './accepted-credentials.js';
import type { CallerLimits } from './caller-limits.js';
import { type ClientBudget, type ClientBudgets, tooManyRequests } from './client-budgets.js';
import { onRequestEnd } from './request-end.js';
import { assertNoControlCharacters, assertOneHost } from './request-head.js';
import { admissionOfRequest, type GatewayAdmission } from './route-admission.js';
import { ServedHosts } from './tracking-hosts.js';

/** email-send authenticates every email itself, so the gateway may read a body if the key was valid recently. */
const API_KEY_FRESH_MS = 30_000;

/**
 * Number of credentials per client that are checked at a time if no service accepted them recently. The refusals of the
 * first ones count before the next ones are checked, so that a flood does not start with a request to a service for
 * each connection.
 */
const UNKNOWN_AT_ONCE = { running: 8, waiting: 1_000 };

type SessionAccess = 'session' | 'service-owner' | 'workspace-member' | 'operator';

const BEARER = { 'www-authenticate': 'Bearer' };

/** The budget that a request has spent; a property of the request, because a WeakMap would cost more. */
const SPENT = Symbol('spent budget');

type Spender = FastifyRequest & { [SPENT]?: ClientBudget | undefined };

/** Decides on a request by its headers, before its body is read. */
export class Admission {
  readonly #credentials = new AcceptedCredentials();
  readonly #unknown = new KeyedSlots(UNKNOWN_AT_ONCE);
  readonly #sessions: SessionAuthentication;
  readonly #hooks: DeployHookAdmission;
  readonly #cookies: SessionCookies;
  readonly #hosts: ServedHosts;

  constructor(
    private readonly services: ServiceClient,
    private readonly budgets: ClientBudgets,
    private readonly limits: CallerLimits,
    publicUrl: string,
  ) {
    this.#sessions = new SessionAuthentication(services, publicUrl);
    this.#hooks = new DeployHookAdmission(services);
    this.#cookies = new SessionCookies(publicUrl);
    this.#hosts = new ServedHosts(services, publicUrl);
  }

  /**
   * Throws or rejects with the refusal; returns a promise only if a service must be called. `isRouted`: whether a route
   * matches.
   */
  admit(request: FastifyRequest, reply: FastifyReply, isRouted: boolean): Promise<void> | undefined {
    assertOneHost(request);
    const admission = isRouted ? admissionOfRequest(request) : undefined;
    const budget = admission?.budget ?? 'client';
    if (budget !== 'caller') this.#spend(budget, request);
    const lookup = admission?.atTrackingHosts ? undefined : this.#hosts.isTrackingHost(request);
    if (!lookup) return this.#admitAtOwnHost(admission, request, reply);
    return lookup.then(isTrackingHost => {
      if (!isTrackingHost) return this.#admitAtOwnHost(admission, request, reply);
      if (budget === 'caller') this.#spend('client', request);
      throw new Problem(404, 'Not found.', { [ERROR_CODE]: 'not_found' });
    });
  }

  #admitAtOwnHost(
    admission: GatewayAdmission | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> | undefined {
    if (!admission) throw new NotFoundException();
    return this.#admitCaller(admission, request, reply);
  }

  #admitCaller(admission: GatewayAdmission, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { maxBodyBytes } = admission;
    const mayRemember = Number(request.headers['content-length'] ?? 0) <= maxBodyBytes;
    const caller = this.#identify(admission, request, reply, mayRemember);
    if (caller) return caller.then(() => assertNoControlCharacters(request));
    assertNoControlCharacters(request);
    return undefined;
  }

  /** Counts an error response to a request without an accepted credential. */
  answered(request: Spender, status: number): void {
    const spent = request[SPENT];
    if (spent !== undefined && status >= 400 && status < 500) this.budgets.refuse(spent, networkOf(request));
  }

  /** Whether a request has a credential that a service recently accepted, on any route. */
  isKnown(request: IncomingMessage): boolean {
    const { headers } = request;
    const bearer = /^Bearer +(\S{1,512})$/i.exec(headers.authorization ?? '')?.[1];
    return [headers['api-key'], bearer, this.#cookies.sessionOf({ headers })].some(
      secret => typeof secret === 'string' && this.#credentials.isKnown(credentialHashOf(request, secret)),
    );
  }

  /** Whether a client has recently used an accepted credential. */
  isClientKnown(client: string): boolean {
    return this.#credentials.isClientKnown(client);
  }

  /** @param mayRemember false for a request that will be refused, so that its caller must be authenticated now. */
  #identify(
    { access, role, withoutSecondFactor }: GatewayAdmission,
    request: FastifyRequest,
    reply: FastifyReply,
    mayRemember: boolean,
  ): Promise<void> | undefined {
    switch (access) {
      case 'anyone':
        return undefined;
      case 'api-key': {
        const hash = this.#presented(request, () => apiKeyHashOf(request));
        const freshMs = hasBody(request) ? API_KEY_FRESH_MS : undefined;
        if (mayRemember && this.#credentials.isKnown(hash, freshMs)) return undefined;
        return this.#accepted(request, hash, () => assertValidApiKey(this.services, request));
      }
      case 'deploy-hook':
        return this.#hooks.admit(request).then(() => this.#exempt(request));
      case 'platform-key': {
        const hash = this.#presented(request, () => platformKeyHashOf(request));
        return this.#accepted(request, hash, () => admitCall(this.services, hash, request, reply, role));
      }
      default: {
        if (presentsManagementKey(request)) return this.#identifyManagementKey({ access, role }, request, reply);
        const hash = this.#presented(request, () => this.#sessions.tokenHashOf(request));
        return this.#limited(request, reply, hash, async () => {
          await this.#sessions.authenticate(request, hash);
          return `user:${sessionOf(request).userId}`;
        }).then(() => {
          this.limits.spendOfWorkspace(sessionOf(request).workspaceId);
          if (!withoutSecondFactor) assertSecondFactor(request);
          return this.#authorize(access, role, request);
        });
      }
    }
  }

  /** A management key is the session of its user, for the routes that its scopes allow. */
  async #identifyManagementKey(
    { access, role }: { readonly access: SessionAccess; readonly role: WorkspaceRole | undefined },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const hash = this.#presented(request, () => {
      const key = managementKeyOf(request);
      if (key === undefined) throw unauthorized('The management key is not valid.', 'management_key_invalid', BEARER);
      return credentialHashOf(request.raw, key);
    });
    await this.#limited(request, reply, hash, async () => {
      await admitManagementKey(this.services, hash, request);
      return `management-key:${sessionOf(request).managementKey?.id}`;
    });
    this.limits.spendOfWorkspace(sessionOf(request).workspaceId);
    const key = sessionOf(request).managementKey;
    if (key) assertManagementScope(key, request);
    await this.#authorize(access, role, request);
  }

  /** A route without a declared role requires the role owner. */
  async #authorize(access: SessionAccess, role: WorkspaceRole = 'owner', request: FastifyRequest): Promise<void> {
    if (access === 'operator') return assertOperator(request);
    if (access === 'workspace-member') await enterWorkspace(this.services, request);
    assertRole(request, role);
    if (access === 'service-owner') await assertOwnsService(this.services, request);
  }

  /** The hash of the credential in the request; a missing or malformed one spends the client's budget. */
  #presented(request: FastifyRequest, hashOf: () => string): string {
    try {
      return hashOf();
    } catch (refused) {
      this.#spend('client', request);
      throw refused;
    }
  }

  /** Authenticates a caller and counts the request, before calling a service if the credential was accepted before. */
  async #limited(
    request: FastifyRequest,
    reply: FastifyReply,
    hash: string,
    authenticate: () => Promise<string>,
  ): Promise<void> {
    const known = this.limits.callerOf(hash);
    if (known !== undefined) this.#count(known, request, reply);
    const caller = await this.#accepted(request, hash, authenticate);
    this.limits.remember(hash, caller);
    if (known === undefined) this.#count(caller, request, reply);
  }

  #count(caller: string, request: FastifyRequest, reply: FastifyReply): void {
    this.limits.spend(caller);
    // The endless streams of a workspace are limited when they start.
    if (admissionOfRequest(request).isEndless) return;
    this.limits.enter(caller);
    onRequestEnd(request.raw, reply.raw, () => this.limits.leave(caller));
  }

  /** A credential that no service recently accepted spends the client's budget until it is accepted. */
  #accepted<Caller>(request: FastifyRequest, hash: string, authenticate: () => Promise<Caller>): Promise<Caller> {
    if (this.#credentials.isKnown(hash)) return this.#authenticated(request, hash, authenticate);
    const check = async () => {
      if (!this.#credentials.isKnown(hash)) this.#spend('client', request);
      return this.#authenticated(request, hash, authenticate);
    };
    return this.#unknown.run(networkOf(request), check, () => tooManyRequests(1));
  }

  async #authenticated<Caller>(
    request: FastifyRequest,
    hash: string,
    authenticate: () => Promise<Caller>,
  ): Promise<Caller> {
    let caller: Caller;
    try {
      caller = await authenticate();
    } catch (refused) {
      if (isUnauthenticated(refused)) this.#credentials.forget(hash);
      else this.#refund(request);
      throw refused;
    }
    this.#refund(request);
    this.#credentials.accept(hash, networkOf(request));
    return caller;
  }

  #spend(budget: ClientBudget, request: Spender): void {
    this.budgets.spend(budget, networkOf(request));
    request[SPENT] = budget;
  }

  /** The response to a request with a credential does not count against its client's budget. */
  #exempt(request: Spender): void {
    request[SPENT] = undefined;
  }

  #refund(request: Spender): void {
    if (request[SPENT] !== undefined) this.budgets.refund(request[SPENT], networkOf(request));
    this.#exempt(request);
  }
}

const hasBody = ({ method }: FastifyRequest): boolean => method !== 'GET' && method !== 'HEAD';

/** The client of a request, as counted by limits. */
export const networkOf = (request: FastifyRequest): string => clientNetworkOf(clientAddressOf(request));

const isUnauthenticated = (error: unknown): boolean =>
  Refusal.is(error) ? statusOf(error) === 401 : error instanceof Problem && error.status === 401;
