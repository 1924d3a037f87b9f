-- Null for a web service without a disk.
ALTER TABLE web_services ADD COLUMN disk_size_mib integer;
