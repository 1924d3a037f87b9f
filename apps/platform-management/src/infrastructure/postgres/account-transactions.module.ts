import { Module } from '@nestjs/common';
import { AccountTransactions } from './account-transactions.js';
import { eventSourcing } from './event-sourcing.module.js';

/** Provides the transactions that features of accounts write with. */
@Module({ imports: [eventSourcing], providers: [AccountTransactions], exports: [AccountTransactions] })
export class AccountTransactionsModule {}
