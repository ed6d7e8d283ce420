-- Titles; it's one row a title.
CREATE TABLE IF NOT EXISTS library.book (
  id BIGINT COMMENT 'never reused;',
  title STRING COMMENT "the reader's \"title\"",
  `a; b` MAP<STRING, INT>
) USING parquet
PARTITIONED BY (added DATE)
COMMENT 'Titles';
/* a /* nested */ comment; */
CREATE OR REPLACE GLOBAL TEMPORARY VIEW new_book AS SELECT * FROM library.book LATERAL VIEW EXPLODE(tags) t AS tag;
CACHE LAZY TABLE library.book;
INSERT OVERWRITE TABLE library.book PARTITION (added = '2024-01-01') SELECT 1, r'\d;', map();
INSERT INTO library.book VALUES (1, 'it\'s;', map(), DATE '2024-01-01');
ALTER TABLE ${database}.book SET TBLPROPERTIES ('a' = 'b;');
