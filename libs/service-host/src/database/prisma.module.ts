import { type DynamicModule, Module } from '@nestjs/common';
import type { PrismaPg } from '@prisma/adapter-pg';
import { Database } from './database.js';

type PrismaClientClass = new (options: { readonly adapter: PrismaPg }) => object;

/** Provides a service's generated `PrismaClient`, on the pool of its `Database`. */
@Module({})
export class PrismaModule {
  static forClient(client: PrismaClientClass): DynamicModule {
    const provider = {
      provide: client,
      inject: [Database],
      useFactory: (database: Database) => new client({ adapter: database.prismaAdapter() }),
    };
    return { module: PrismaModule, providers: [provider], exports: [provider] };
  }
}
