import { Inject, Injectable, type Type } from '@nestjs/common';
import { OPERATIONS, type Operations, type ReplyOf, type RequestOf, type ServiceName } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { ServiceOperations } from './service-operations.js';

type Request<Name extends keyof Operations> = RequestOf<Operations[Name]>;
type Reply<Name extends keyof Operations> = Promise<ReplyOf<Operations[Name]>>;

/** The provider that handles the operator's requests to a service. */
export const operationsHandlers = (service: ServiceName): Type => {
  const contracts = OPERATIONS[service];

  @Injectable()
  class OperationsHandlers {
    constructor(@Inject(ServiceOperations) private readonly operations: ServiceOperations) {}

    @Handles(contracts.listProjections)
    projections(): Reply<'listProjections'> {
      return this.operations.projections();
    }

    @Handles(contracts.rebuildProjection)
    rebuild({ name }: Request<'rebuildProjection'>): Reply<'rebuildProjection'> {
      return this.operations.rebuild(name);
    }

    @Handles(contracts.listReaders)
    readers(): Reply<'listReaders'> {
      return this.operations.readers();
    }

    @Handles(contracts.listSetAsideEvents)
    setAsideEvents({ limit }: Request<'listSetAsideEvents'>): Reply<'listSetAsideEvents'> {
      return this.operations.setAsideEvents(limit);
    }

    @Handles(contracts.retrySetAsideEvent)
    retrySetAside({ event_id }: Request<'retrySetAsideEvent'>): Reply<'retrySetAsideEvent'> {
      return this.operations.retrySetAside(event_id);
    }

    @Handles(contracts.discardSetAsideEvent)
    discardSetAside({ event_id }: Request<'discardSetAsideEvent'>): Reply<'discardSetAsideEvent'> {
      return this.operations.discardSetAside(event_id);
    }

    @Handles(contracts.countSealedValues)
    sealedValues(): Reply<'countSealedValues'> {
      return this.operations.sealedValues();
    }

    @Handles(contracts.resealValues)
    reencrypt({ limit }: Request<'resealValues'>): Reply<'resealValues'> {
      return this.operations.reencrypt(limit);
    }

    @Handles(contracts.eraseRecipientStep)
    eraseStep(request: Request<'eraseRecipientStep'>): Reply<'eraseRecipientStep'> {
      return this.operations.eraseStep(request);
    }

    @Handles(contracts.diagnose)
    diagnose(): Reply<'diagnose'> {
      return this.operations.diagnose();
    }
  }
  return OperationsHandlers;
};
