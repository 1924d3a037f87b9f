import { Controller, Inject, type Type } from '@nestjs/common';
import { OPERATIONS, type Operations, type ReplyOf, type RequestOf, type ServiceName } from '@postern/contracts';
import { HandlesRequest } from '@postern/messaging';
import { Operating } from './operating.js';

type Request<Name extends keyof Operations> = RequestOf<Operations[Name]>;
type Reply<Name extends keyof Operations> = Promise<ReplyOf<Operations[Name]>>;

/** The controller that answers a service's operator; it needs `Operating` among the providers. */
export const operationsController = (service: ServiceName): Type => {
  const asked = OPERATIONS[service];

  @Controller()
  class OperationsController {
    constructor(@Inject(Operating) private readonly operating: Operating) {}

    @HandlesRequest(asked.listProjections)
    projections(): Reply<'listProjections'> {
      return this.operating.projections();
    }

    @HandlesRequest(asked.rebuildProjection)
    rebuild({ name }: Request<'rebuildProjection'>): Reply<'rebuildProjection'> {
      return this.operating.rebuild(name);
    }

    @HandlesRequest(asked.getOutboxStatus)
    outbox(): Reply<'getOutboxStatus'> {
      return this.operating.outbox();
    }

    @HandlesRequest(asked.reportMissingEvents)
    reportMissing(gap: Request<'reportMissingEvents'>): Reply<'reportMissingEvents'> {
      return this.operating.reportMissing(gap);
    }

    @HandlesRequest(asked.listSetAsideEvents)
    setAsideEvents({ limit }: Request<'listSetAsideEvents'>): Reply<'listSetAsideEvents'> {
      return this.operating.setAsideEvents(limit);
    }

    @HandlesRequest(asked.retrySetAsideEvent)
    retrySetAside({ event_id }: Request<'retrySetAsideEvent'>): Reply<'retrySetAsideEvent'> {
      return this.operating.retrySetAside(event_id);
    }

    @HandlesRequest(asked.discardSetAsideEvent)
    discardSetAside({ event_id }: Request<'discardSetAsideEvent'>): Reply<'discardSetAsideEvent'> {
      return this.operating.discardSetAside(event_id);
    }

    @HandlesRequest(asked.countSealedValues)
    sealedValues(): Reply<'countSealedValues'> {
      return this.operating.sealedValues();
    }

    @HandlesRequest(asked.resealValues)
    reseal({ limit }: Request<'resealValues'>): Reply<'resealValues'> {
      return this.operating.reseal(limit);
    }

    @HandlesRequest(asked.eraseRecipient)
    erase({ address, replacement }: Request<'eraseRecipient'>): Reply<'eraseRecipient'> {
      return this.operating.erase(address, replacement);
    }

    @HandlesRequest(asked.eraseRecipientStep)
    eraseStep(request: Request<'eraseRecipientStep'>): Reply<'eraseRecipientStep'> {
      return this.operating.eraseStep(request);
    }

    @HandlesRequest(asked.diagnose)
    diagnose(): Reply<'diagnose'> {
      return this.operating.diagnose();
    }
  }
  return OperationsController;
};
