import { Module } from '@nestjs/common';
import { AccountTransactions } from './account-transactions.js';

/** Provides the transactions that features of accounts write with. */
@Module({ providers: [AccountTransactions], exports: [AccountTransactions] })
export class AccountTransactionsModule {}
