import { Injectable } from '@nestjs/common';
import { ServiceLog } from '@postern/service-host';
import { WebServiceLedger, WebServiceSettings } from '../web-services/ports.js';
import { ServiceWork } from './service-work.js';

/** What the lanes of every leader work with. */
@Injectable()
export class LaneSupplies {
  constructor(
    readonly ledger: WebServiceLedger,
    readonly work: ServiceWork,
    readonly settings: WebServiceSettings,
    readonly log: ServiceLog,
  ) {}
}
