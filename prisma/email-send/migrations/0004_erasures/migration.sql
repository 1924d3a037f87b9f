-- CreateTable
CREATE TABLE "erasures" (
    "id" UUID NOT NULL,
    "address_hash" TEXT NOT NULL,
    "sealed_address" TEXT,
    "replacement" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "pass" INTEGER NOT NULL,
    "services" JSONB NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "requested_at" TIMESTAMPTZ(3) NOT NULL,
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "erasures_address_hash_key" ON "erasures"("address_hash");

-- CreateIndex
CREATE INDEX "erasures_requested" ON "erasures"("requested_at");
