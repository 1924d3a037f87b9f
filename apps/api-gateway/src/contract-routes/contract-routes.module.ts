import { Module, type Type } from '@nestjs/common';
import * as contracts from '@postern/contracts';
import {
  createManagementKey,
  getWorkspaceQuotas,
  isRequestContract,
  listEmailDeliveries,
  listEmailServices,
  type RequestContract,
  setWorkspaceQuotas,
} from '@postern/contracts';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../infrastructure/service-client/service-client.module.js';
import { assertEmailExists } from './assert-email-exists.js';
import { assertOwnEmailService, type CheckRequest } from './checked-service.js';
import { completeQuotas } from './complete-quotas.js';
import type { CompleteReply } from './complete-reply.js';
import { contractController } from './contract-controller.js';
import { reachedServices } from './reached-services.js';

const COMPLETED: ReadonlyMap<RequestContract, CompleteReply> = new Map<RequestContract, CompleteReply>([
  [getWorkspaceQuotas, completeQuotas],
  [setWorkspaceQuotas, completeQuotas],
  [listEmailDeliveries, assertEmailExists],
  [listEmailServices, reachedServices],
]);

const CHECKED: ReadonlyMap<RequestContract, CheckRequest> = new Map<RequestContract, CheckRequest>([
  [createManagementKey, assertOwnEmailService],
]);

/** One controller for each route and kind of caller in the contracts, by path. */
export const CONTRACT_CONTROLLERS: readonly Type[] = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(contract => contract.http.map(route => ({ contract, route })))
  .sort((a, b) => a.route.path.localeCompare(b.route.path))
  .flatMap(({ contract, route }) =>
    [route.access]
      .flat()
      .map(access => contractController(contract, route, access, COMPLETED.get(contract), CHECKED.get(contract))),
  );

@Module({ imports: [ServiceClientModule, AuditRecordingModule], controllers: [...CONTRACT_CONTROLLERS] })
export class ContractRoutesModule {}
