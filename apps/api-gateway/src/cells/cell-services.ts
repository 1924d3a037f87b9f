import { hash } from 'node:crypto';
import {
  acceptInvitation,
  askCertificate,
  createUser,
  findCaller,
  findTrackingHost,
  Refusal,
  type ReplyOf,
  type RequestContract,
  type RequestInput,
  receiveProviderEvents,
} from '@postern/contracts';
import { ServiceUnavailable } from '@postern/messaging';
import { ServiceClient, type ServiceContext } from '../infrastructure/service-client/ports.js';
import { type Cell, firstCellThat } from './cell.js';
import type { Cells } from './cells.js';

/** The services of one cell. The few requests whose cell is unknown until they are handled are sent to several. */
export class CellServices extends ServiceClient {
  constructor(
    private readonly cells: Cells,
    private readonly own: Cell,
  ) {
    super();
  }

  async request<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: ServiceContext,
  ): Promise<ReplyOf<C>> {
    switch (contract.subject) {
      case findTrackingHost.subject:
      case askCertificate.subject:
        return (await this.#isVerified(contract, request, context)) as ReplyOf<C>;
      case receiveProviderEvents.subject:
        return this.#ofProviderEndpoint(contract, request, context);
      case createUser.subject:
        await this.#assertTakesUser((request as RequestInput<typeof createUser>).email, context);
        break;
      case acceptInvitation.subject:
        await this.#assertInvitedIsNew((request as RequestInput<typeof acceptInvitation>).token, context);
        break;
    }
    return (await this.#cellOf(request, context)).request(contract, request, context);
  }

  /** An HTTP request is already at the cell of its key; messages of SMTP submission are not. */
  async #cellOf(request: unknown, context: ServiceContext): Promise<Cell> {
    const { api_key_hash: keyHash } = request as { readonly api_key_hash?: string };
    return (keyHash === undefined ? undefined : await this.cells.cellOf('api_key', keyHash, context)) ?? this.own;
  }

  /** Whether a cell has verified a host name. */
  async #isVerified<C extends RequestContract>(contract: C, request: RequestInput<C>, context: ServiceContext) {
    const has = async (cell: Cell) =>
      ((await cell.request(contract, request, context)) as { readonly verified: boolean }).verified;
    return { verified: (await firstCellThat(this.cells.all, has)) !== undefined };
  }

  /** A cell that does not have the endpoint refuses the call without an effect. */
  async #ofProviderEndpoint<C extends RequestContract>(
    contract: C,
    request: RequestInput<C>,
    context: ServiceContext,
  ): Promise<ReplyOf<C>> {
    let failure: unknown;
    for (const cell of this.cells.all) {
      try {
        return await cell.request(contract, request, context);
      } catch (error) {
        const isUnknown = Refusal.is(error) && error.code === 'provider_endpoint_not_found';
        if (!isUnknown && !(error instanceof ServiceUnavailable)) throw error;
        if (!(failure instanceof ServiceUnavailable)) failure = error;
      }
    }
    throw failure;
  }

  async #assertTakesUser(email: string, context: ServiceContext): Promise<void> {
    if (!this.own.settings.open) {
      const open = this.cells.all.find(({ settings }) => settings.open)?.name;
      throw new Refusal(
        'cell_closed',
        `the cell ${this.own.name} takes no new users; sign in as an operator of the cell ${open}, and create the user there`,
      );
    }
    await this.#assertIsNew(email, context);
  }

  async #assertInvitedIsNew(token: string, context: ServiceContext): Promise<void> {
    const invitation = { kind: 'invitation', value: hash('sha256', token) } as const;
    const { email } = await this.own.request(findCaller, invitation, context);
    if (email !== undefined) await this.#assertIsNew(email, context);
  }

  /** An address belongs to one cell, because it is all that a sign-in tells. */
  async #assertIsNew(email: string, context: ServiceContext): Promise<void> {
    if (!(await this.cells.isAddressElsewhere(email, this.own, context))) return;
    throw new Refusal('user_exists', `email: "${email}" has an account in another cell; use another address`);
  }
}
