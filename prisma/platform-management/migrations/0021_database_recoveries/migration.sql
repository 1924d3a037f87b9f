-- Databases that are created with the data of another one.
CREATE TABLE "database_recoveries" (
    "database_id" UUID NOT NULL,
    "source_id" UUID NOT NULL,
    "backup_id" UUID NOT NULL,
    "target_time" TIMESTAMPTZ(3),
    "status" TEXT NOT NULL,
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "database_recoveries_pkey" PRIMARY KEY ("database_id")
);

CREATE INDEX "database_recoveries_status_idx" ON "database_recoveries"("status");

CREATE INDEX "database_recoveries_backup_id_idx" ON "database_recoveries"("backup_id");
