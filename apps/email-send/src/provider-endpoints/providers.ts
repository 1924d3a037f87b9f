import { Injectable } from '@nestjs/common';
import type { ProviderKind } from '@postern/contracts';
import { brevo } from './brevo.js';
import { mailgun } from './mailgun.js';
import { postmark } from './postmark.js';
import type { Provider } from './provider-call.js';
import { sendgrid } from './sendgrid.js';
import { Ses } from './ses.js';

/** The protocols of all providers. */
@Injectable()
export class Providers {
  readonly #all: Readonly<Record<ProviderKind, Provider>>;

  constructor(ses: Ses) {
    this.#all = { ses, mailgun, sendgrid, postmark, brevo };
  }

  providerOf(kind: ProviderKind): Provider {
    return this.#all[kind];
  }
}
