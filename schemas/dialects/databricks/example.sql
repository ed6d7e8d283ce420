-- Databricks notebook source
USE CATALOG main;

-- COMMAND ----------

-- Titles; it's one row a title.
CREATE TABLE library.book (
  id BIGINT GENERATED ALWAYS AS IDENTITY,
  title STRING NOT NULL COMMENT 'as printed;',
  CONSTRAINT book_pk PRIMARY KEY (id)
) USING DELTA TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');

-- COMMAND ----------

CREATE OR REFRESH STREAMING TABLE loan AS SELECT * FROM STREAM read_files('/loans;');
CREATE OR REPLACE FUNCTION due(days INT) RETURNS DATE RETURN current_date() + days;
BEGIN
  DECLARE n INT DEFAULT 1;
  SELECT n;
END;
OPTIMIZE library.book ZORDER BY (id);
MERGE INTO library.book AS b USING loan ON b.id = loan.id WHEN NOT MATCHED THEN INSERT *;
