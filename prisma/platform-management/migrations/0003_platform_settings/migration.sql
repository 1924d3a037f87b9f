-- AlterTable
ALTER TABLE "web_services" ADD COLUMN     "root_directory" TEXT,
ADD COLUMN     "watch_paths" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "health_check" JSONB,
ADD COLUMN     "first_byte_timeout_seconds" INTEGER;

-- CreateTable
CREATE TABLE "secret_files" (
    "id" UUID NOT NULL,
    "web_service_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "secret_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "secret_files_web_service_id_path_key" ON "secret_files"("web_service_id", "path");

-- AddForeignKey
ALTER TABLE "secret_files" ADD CONSTRAINT "secret_files_web_service_id_fkey" FOREIGN KEY ("web_service_id") REFERENCES "web_service_standings"("web_service_id") ON DELETE CASCADE ON UPDATE CASCADE;
