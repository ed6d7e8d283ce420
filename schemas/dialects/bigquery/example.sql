# Titles; it's one row a title.
CREATE OR REPLACE TABLE `library-1.main.book` (
  id INT64 NOT NULL OPTIONS(description="the \"id\"; never reused"),
  title STRING OPTIONS(description='''The title;
it's as printed'''),
  copies ARRAY<STRUCT<shelf STRING, lent BOOL>>
)
PARTITION BY DATE(_PARTITIONTIME)
OPTIONS(description="""Books; "all" of them""", labels=[("kind", "main")]);

CREATE TABLE FUNCTION main.copies_of(wanted INT64) AS
  SELECT * FROM `library-1.main.book` WHERE id = wanted;
CREATE TEMP FUNCTION twice(x FLOAT64) RETURNS FLOAT64 LANGUAGE js AS r"""
  return x * 2; // it's easy
""";
CREATE OR REPLACE PROCEDURE main.lend(OUT n INT64)
BEGIN
  SET n = (SELECT COUNT(*) FROM `library-1.main.book`);
  IF n > 0 THEN SELECT r'\d;'; END IF;
END;
DECLARE wanted INT64 DEFAULT 1;
BEGIN
  SELECT CASE wanted WHEN 1 THEN 2 END;
EXCEPTION WHEN ERROR THEN
  SELECT @@error.message;
END;
BEGIN TRANSACTION;
INSERT main.book (id) VALUES (1), (2);
COMMIT TRANSACTION;
SELECT * EXCEPT (copies) FROM `library-1.main.events_*` WHERE _TABLE_SUFFIX > '2024'
