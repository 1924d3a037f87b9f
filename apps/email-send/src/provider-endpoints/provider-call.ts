import type { ProviderCredentials, ProviderEvent } from '@postern/contracts';

/** A call of a provider, as it arrived. */
export interface ProviderCall {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What a call says. */
export interface ProviderMessage {
  readonly events: readonly ProviderEvent[];
  /** Events that Postern does not use, such as opens, which it observes itself. */
  readonly unused: number;
  /** The SNS topic that is to be remembered, because the endpoint has none. */
  readonly topicArn?: string;
}

/** The protocol of one provider. */
export interface Provider {
  /** The credentials that were given, without those of other kinds. Refuses `invalid_input` if one is missing. */
  credentialsOf(given: ProviderCredentials): ProviderCredentials;
  authenticationOf(credentials: ProviderCredentials): 'signature' | 'basic' | 'bearer' | 'url';
  /** Refuses `invalid_signature` before it reads anything else, and `invalid_event`. */
  read(call: ProviderCall, credentials: ProviderCredentials): Promise<ProviderMessage> | ProviderMessage;
}
