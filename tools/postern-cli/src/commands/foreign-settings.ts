import type { ConsumerInfo, StreamConfig } from '@nats-io/jetstream';
import type { ServiceName } from '@postern/contracts';
import { foreignSettingsOf as foreignSettingsOfStream } from '@postern/messaging';

/** Settings of a stream and its consumers that no service configures and that make NATS copy or forward messages. */
export const foreignSettingsOf = (
  service: ServiceName,
  config: Partial<StreamConfig>,
  consumers: readonly Pick<ConsumerInfo, 'name' | 'config'>[],
): readonly string[] => [
  ...foreignSettingsOfStream(service, config),
  ...consumers.flatMap(({ name, config: { deliver_subject } }) =>
    deliver_subject ? [`its consumer ${name} delivers to ${deliver_subject}`] : [],
  ),
];
