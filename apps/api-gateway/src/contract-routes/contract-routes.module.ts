import { Module, type Type } from '@nestjs/common';
import * as contracts from '@postern/contracts';
import { isRequestContract } from '@postern/contracts';
import { AuditRecordingModule } from '../infrastructure/http/audit/audit-recording.module.js';
import { ServiceClientModule } from '../service-client/service-client.module.js';
import { contractController } from './contract-controller.js';

/** One controller for each route and kind of caller that the contracts declare, by path. */
export const CONTRACT_CONTROLLERS: readonly Type[] = Object.values<unknown>(contracts)
  .filter(isRequestContract)
  .flatMap(contract => contract.http.map(route => ({ contract, route })))
  .sort((a, b) => a.route.path.localeCompare(b.route.path))
  .flatMap(({ contract, route }) => [route.access].flat().map(access => contractController(contract, route, access)));

@Module({ imports: [ServiceClientModule, AuditRecordingModule], controllers: [...CONTRACT_CONTROLLERS] })
export class ContractRoutesModule {}
